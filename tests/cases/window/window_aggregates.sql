-- every aggregate function in a window, with DISTINCT and FILTER; a window whose values are all NULL
CREATE TABLE e (
  id INT, k STRING, v INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'inline');
--! data e
--! +I[1, 'a', 10, '2024-01-01 00:00:01']
--! +I[2, 'a', 10, '2024-01-01 00:00:02']
--! +I[3, 'b', 5, '2024-01-01 00:00:03']
--! +I[4, NULL, NULL, '2024-01-01 00:00:04']
--! +I[5, 'a', NULL, '2024-01-01 00:00:11']
--! +I[6, 'b', NULL, '2024-01-01 00:00:30']
SELECT window_start, COUNT(*) AS c, COUNT(v) AS cv, SUM(v) AS s, AVG(v) AS av, MIN(v) AS mi, MAX(v) AS ma, MIN(k) AS mk, MAX(ts) AS mts
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(DISTINCT k) AS dk, COUNT(DISTINCT v) AS dv, SUM(DISTINCT v) AS sd, AVG(DISTINCT v) AS ad, SUM(v) FILTER (WHERE k = 'a') AS sa, COUNT(DISTINCT v) FILTER (WHERE k = 'b') AS db
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, SUM(CAST(v AS DECIMAL(5, 2))) AS sd, AVG(CAST(v AS DECIMAL(5, 2))) AS ad, SUM(CAST(v AS DOUBLE)) AS sf, AVG(v * 1.0) AS a2
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
