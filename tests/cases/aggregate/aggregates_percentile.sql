-- PERCENTILE: NULLs, several fractions, types, a table that changes
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
SELECT k, PERCENTILE(v, 0.5) AS p, PERCENTILE(w, 0.25) AS q FROM t GROUP BY k;
SELECT PERCENTILE(CAST(v AS DOUBLE), 1) AS a, PERCENTILE(CAST(v AS DECIMAL(10, 2)), 0) AS b FROM t;
CREATE TABLE c (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data c
--! +I[1, 'a', 1, '2024-01-01 00:00:01']
--! +I[2, 'a', 3, '2024-01-01 00:00:02']
--! +I[3, 'b', 3, '2024-01-01 00:00:03']
--! -U[1, 'a', 1, '2024-01-01 00:00:01']
--! +U[1, 'a', 5, '2024-01-01 00:00:04']
--! -D[3, 'b', 3, '2024-01-01 00:00:03']
--! +I[4, NULL, 7, '2024-01-01 00:00:12']
--! +I[5, 'a', 2, '2024-01-01 00:00:14']
--! -D[5, 'a', 2, '2024-01-01 00:00:14']
--! -D[2, 'a', 3, '2024-01-01 00:00:02']
--! +I[6, 'b', 1, '2024-01-01 00:00:33']
SELECT k, PERCENTILE(v, 0.3) AS p FROM c GROUP BY k;
