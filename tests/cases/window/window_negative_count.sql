-- retractions of rows that a window never had: only a window whose count is exactly 0 when it closes stays silent, one of -1 fires
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! -D['a', 5, '2024-01-01 00:00:01']
--! +I['b', 1, '2024-01-01 00:00:02']
--! -D['b', 1, '2024-01-01 00:00:02']
--! -D['b', 1, '2024-01-01 00:00:02']
--! +I['b', 3, '2024-01-01 00:00:02']
--! +I['c', 3, '2024-01-01 00:00:03']
--! -D['c', 9, '2024-01-01 00:00:03']
--! +I['c', 4, '2024-01-01 00:00:03']
--! +I['a', 7, '2024-01-01 00:00:11']
SELECT k, window_start, COUNT(*) AS c, SUM(v) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
SELECT k, window_start, MAX(v) AS m FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
