-- the time attribute itself as an argument of MIN and MAX, and as a key beside the window
CREATE TABLE e (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I['a', '2024-01-01 00:00:01']
--! +I['a', '2024-01-01 00:00:01']
--! +I['a', '2024-01-01 00:00:05']
--! +I['a', '2024-01-01 00:00:12']
SELECT window_start, MIN(ts) AS mi, MAX(ts) AS ma FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, ts, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, ts;
SELECT window_start, TIMESTAMPDIFF(SECOND, window_start, ts) AS o, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, TIMESTAMPDIFF(SECOND, window_start, ts);
