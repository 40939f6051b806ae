-- Top-N over counts and maxima, which only grow: updated by key
CREATE TABLE t (k STRING, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 5, '2024-01-01 00:00:01']
--! +I['a', 3, 4, '2024-01-01 00:00:02']
--! +I['b', 2, 3, '2024-01-01 00:00:02']
--! +I['a', 2, 9, '2024-01-01 00:00:05']
--! +I[NULL, NULL, 1, '2024-01-01 00:00:06']
--! +I['a', 3, 2, '2024-01-01 00:00:07']
--! +I['a', 3, 2, '2024-01-01 00:00:07']
--! +I[NULL, 7, 1, '2024-01-01 00:00:03']
--! +I['b', NULL, 8, '2024-01-01 00:00:04']
--! +I['b', 0, 8, '2024-01-01 00:00:12']
SELECT k, c, s, rn FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY c DESC) AS rn FROM (SELECT k, MAX(v) AS c, SUM(w) AS s FROM t GROUP BY k)) WHERE rn <= 2;
SELECT k, c, s FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY c DESC) AS rn FROM (SELECT k, MAX(v) AS c, SUM(w) AS s FROM t GROUP BY k)) WHERE rn <= 2;
SELECT k, w, c, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY c DESC) AS rn FROM (SELECT k, w, COUNT(*) AS c FROM t GROUP BY k, w)) WHERE rn <= 2;
SELECT k, c, rn FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY c) AS rn FROM (SELECT k, MIN(v) AS c FROM t GROUP BY k)) WHERE rn <= 3;
SELECT k, COUNT(*) AS c FROM t GROUP BY k ORDER BY c DESC LIMIT 2;
SELECT k, COUNT(*) AS c FROM t GROUP BY k ORDER BY c LIMIT 2;
