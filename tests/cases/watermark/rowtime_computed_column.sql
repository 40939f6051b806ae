-- a computed column as rowtime: TO_TIMESTAMP of a string, TO_TIMESTAMP_LTZ of epoch milliseconds and seconds
CREATE TABLE s (id INT, t STRING, ts AS TO_TIMESTAMP(t), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
CREATE TABLE m (id INT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE n (id INT, sec BIGINT, ts AS TO_TIMESTAMP_LTZ(sec * 1000, 3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'inline');
--! data s
--! +I[1, '2024-01-01 00:00:01']
--! +I[2, '2024-01-01 00:00:09.5']
--! +I[3, '2024-01-01 00:00:11']
--! +I[4, '2024-01-01 00:00:04']
--! data m
--! +I[1, 1704067201000]
--! +I[2, 1704067209999]
--! +I[3, 1704067210000]
--! data n
--! +I[1, 1704067201]
--! +I[2, 1704067216]
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE s, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE m, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE n, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT * FROM s;
SELECT * FROM m;
SELECT * FROM n WHERE ts > TO_TIMESTAMP_LTZ(1704067205000, 3);
