-- TIMESTAMP_LTZ windows of a day and of an hour in a zone of half an hour, with an offset
SET 'table.local-time-zone' = 'Asia/Kolkata';
CREATE TABLE e (id INT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, 1704047400000]
--! +I[2, 1704065400000]
--! +I[3, 1704133799999]
--! +I[4, 1704133800000]
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '15' MINUTE)) GROUP BY window_start, window_end;
SELECT id, ts FROM e;
