-- a watermark on an updating table: each row of it moves the watermark, retractions too
CREATE TABLE t (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, '2024-01-01 00:00:01']
--! -U[1, '2024-01-01 00:00:01']
--! +U[1, '2024-01-01 00:00:12']
--! -D[9, '2024-01-01 00:00:25']
--! +I[2, '2024-01-01 00:00:21']
--! +I[3, '2024-01-01 00:00:31']
SELECT id, ts, CURRENT_WATERMARK(ts) AS wm FROM t;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
