-- ORDER BY with LIMIT over groups, unions, DISTINCT, expressions, aliases
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
SELECT k, COUNT(*) AS c FROM t GROUP BY k ORDER BY COUNT(*) DESC, k LIMIT 2;
SELECT k FROM t GROUP BY k ORDER BY MAX(v) DESC LIMIT 1;
SELECT k, v FROM t UNION ALL SELECT k, w FROM t ORDER BY v DESC LIMIT 3;
SELECT DISTINCT k FROM t ORDER BY k LIMIT 2;
SELECT * FROM (SELECT k, v FROM t ORDER BY v DESC LIMIT 3) WHERE k = 'a';
SELECT k, v FROM t ORDER BY v DESC NULLS FIRST LIMIT 2;
SELECT COUNT(*) AS c FROM (SELECT v FROM t LIMIT 4);
