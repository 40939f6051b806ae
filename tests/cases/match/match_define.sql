-- MATCH_RECOGNIZE: conditions that look at rows before, at other variables, at aggregates
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, '2024-01-01 00:00:01']
--! +I['a', 2, '2024-01-01 00:00:02']
--! +I['b', 9, '2024-01-01 00:00:03']
--! +I['a', 3, '2024-01-01 00:00:04']
--! +I['a', 2, '2024-01-01 00:00:05']
--! +I['b', 8, '2024-01-01 00:00:06']
--! +I['a', 3, '2024-01-01 00:00:07']
--! +I['a', 4, '2024-01-01 00:00:08']
--! +I['a', 1, '2024-01-01 00:00:09']
--! +I['b', 10, '2024-01-01 00:00:10']
--! +I['a', 5, '2024-01-01 00:00:11']
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.v) AS a, LAST(A.v) AS la, B.v AS b PATTERN (A+ B) DEFINE A AS LAST(A.v, 1) IS NULL OR A.v > LAST(A.v, 1), B AS B.v < LAST(A.v)) AS m;
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES FIRST(A.v) AS a, LAST(A.v) AS la, SUM(A.v) AS s, B.v AS b PATTERN (A+ B) DEFINE A AS SUM(A.v) < 7, B AS B.v > 2) AS m;
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a, B.v AS b, C.v AS c PATTERN (A B C) DEFINE B AS B.v > A.v, C AS C.v > A.v AND C.v <> B.v AND COUNT(A.v) = 1) AS m;
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a, B.v AS b PATTERN (A B) DEFINE A AS v > 1, B AS v > A.v) AS m;
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a, B.v AS b PATTERN (A X* B) DEFINE A AS A.v = 1, X AS X.v <> 1, B AS B.v = 1) AS m;
