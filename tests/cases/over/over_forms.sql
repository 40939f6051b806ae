-- OVER in views, behind groups and filters, several calls in one expression, QUALIFY
CREATE TABLE t (k STRING, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 5, '2024-01-01 00:00:01']
--! +I['a', 3, 4, '2024-01-01 00:00:02']
--! +I['b', 2, 3, '2024-01-01 00:00:02']
--! +I['a', 2, 9, '2024-01-01 00:00:05']
--! +I[NULL, NULL, 1, '2024-01-01 00:00:06']
--! +I['a', 3, 2, '2024-01-01 00:00:13']
--! +I['a', 3, 2, '2024-01-01 00:00:13']
--! +I['a', 10, 2, '2024-01-01 00:00:03']
--! +I['a', NULL, 2, '2024-01-01 00:00:09']
--! +I[NULL, 7, 1, '2024-01-01 00:00:18']
--! +I['b', NULL, 8, '2024-01-01 00:00:19']
--! +I['b', 0, 8, '2024-01-01 00:00:32']
--! +I['a', 4, 1, '2024-01-01 00:00:40']
--! +I['b', 5, 1, '2024-01-01 00:00:31']
CREATE VIEW o AS SELECT k, v, ts, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM t;
SELECT k, s FROM o WHERE s > 3;
SELECT k, v - LAG(v) OVER (PARTITION BY k ORDER BY ts) AS d FROM t;
SELECT k, CAST(v AS DOUBLE) / SUM(v) OVER (PARTITION BY k ORDER BY ts) AS share FROM t WHERE v > 0;
SELECT k, v FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) = 1;
SELECT ws, s, SUM(s) OVER (ORDER BY rt) AS total FROM (SELECT window_start AS ws, window_time AS rt, SUM(v) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time);
SELECT k, COUNT(v) OVER (PARTITION BY k ORDER BY ts) AS c, COUNT(DISTINCT v) OVER (PARTITION BY k ORDER BY ts) AS d FROM t;
