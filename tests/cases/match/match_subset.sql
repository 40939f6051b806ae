-- MATCH_RECOGNIZE: SUBSET, anchors and definitions of what is no variable
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
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES S.v AS a, SUM(S.v) AS s, FIRST(S.v) AS f PATTERN (A B) SUBSET S = (A, B) DEFINE B AS B.v > 1) AS m;
