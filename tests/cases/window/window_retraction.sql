-- retractions into windows: MIN/MAX/DISTINCT fall back, a key whose rows all went does not fire, an update moves a row between windows, late retractions are dropped
CREATE TABLE t (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 'a', 10, '2024-01-01 00:00:01']
--! +I[2, 'a', 20, '2024-01-01 00:00:02']
--! +I[3, 'a', 20, '2024-01-01 00:00:03']
--! +I[4, 'b', 7, '2024-01-01 00:00:03']
--! -U[2, 'a', 20, '2024-01-01 00:00:02']
--! +U[2, 'a', 20, '2024-01-01 00:00:12']
--! -D[4, 'b', 7, '2024-01-01 00:00:03']
--! -D[3, 'a', 20, '2024-01-01 00:00:03']
--! +I[5, 'c', NULL, '2024-01-01 00:00:04']
--! +I[6, 'a', 1, '2024-01-01 00:00:16']
--! -D[1, 'a', 10, '2024-01-01 00:00:01']
--! -D[6, 'a', 1, '2024-01-01 00:00:16']
--! +I[7, 'd', 1, '2024-01-01 00:01:00']
SELECT k, window_start, COUNT(*) AS c, MIN(v) AS mi, MAX(v) AS ma, COUNT(DISTINCT v) AS d, AVG(v) AS av FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
SELECT window_start, SUM(v) AS s, COUNT(*) FILTER (WHERE v > 5) AS c FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT id, k, window_start FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND));
