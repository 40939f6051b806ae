-- rowtime columns of other precisions: TIMESTAMP(0) and TIMESTAMP(2); the watermark is in milliseconds
CREATE TABLE a (id INT, ts TIMESTAMP(0), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, ts TIMESTAMP(2), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data a
--! +I[1, '2024-01-01 00:00:01']
--! +I[2, '2024-01-01 00:00:10']
--! +I[3, '2024-01-01 00:00:11']
--! data b
--! +I[1, '2024-01-01 00:00:09.99']
--! +I[2, '2024-01-01 00:00:10']
SELECT window_start, window_time, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time;
SELECT window_start, window_time, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE b, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time;
SELECT id, ts, CURRENT_WATERMARK(ts) AS wm FROM a;
