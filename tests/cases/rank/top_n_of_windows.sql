-- a Top-N over a window aggregate without its bounds, and over grouping sets
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
SELECT k, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY s DESC) AS rn FROM (SELECT k, window_start, window_end, SUM(v) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end)) WHERE rn <= 1;
SELECT k, c, rn FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY c DESC) AS rn FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY ROLLUP (k))) WHERE rn <= 2;
