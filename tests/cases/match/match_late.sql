-- MATCH_RECOGNIZE: rows out of order, of equal time, late; several matches in a step; nothing
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector' = 'inline');
CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data t
--! +I['a', 3, '2024-01-01 00:00:03']
--! +I['a', 1, '2024-01-01 00:00:01']
--! +I['a', 2, '2024-01-01 00:00:02']
--! +I[NULL, 5, '2024-01-01 00:00:04']
--! +I['a', 4, '2024-01-01 00:00:04']
--! +I['a', 5, '2024-01-01 00:00:04']
--! +I[NULL, 6, '2024-01-01 00:00:05']
--! +I['a', 9, '2024-01-01 00:00:20']
--! +I['a', 7, '2024-01-01 00:00:10']
--! +I['a', 8, '2024-01-01 00:00:18']
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a, B.v AS b AFTER MATCH SKIP TO NEXT ROW PATTERN (A B) DEFINE B AS B.v > A.v) AS m;
SELECT * FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts, v DESC MEASURES A.v AS a, B.v AS b AFTER MATCH SKIP TO NEXT ROW PATTERN (A B) DEFINE B AS TRUE) AS m;
SELECT * FROM e MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS a PATTERN (A) DEFINE A AS TRUE) AS m;
