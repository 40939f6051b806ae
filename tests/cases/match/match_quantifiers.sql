-- MATCH_RECOGNIZE: quantifiers, greedy and reluctant
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
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(A.v) AS fa, LAST(A.v) AS la, COUNT(A.v) AS ca, B.v AS bv PATTERN (A* B) DEFINE A AS A.v < 3, B AS B.v >= 3) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(A.v) AS fa, LAST(A.v) AS la, COUNT(A.v) AS ca, B.v AS bv PATTERN (A+? B) DEFINE A AS A.v < 9, B AS B.v >= 3) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(A.v) AS fa, LAST(A.v) AS la, COUNT(A.v) AS ca, B.v AS bv PATTERN (A+ B) DEFINE A AS A.v < 9, B AS B.v >= 3) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(A.v) AS fa, LAST(A.v) AS la, COUNT(A.v) AS ca, B.v AS bv PATTERN (A{2} B) DEFINE A AS A.v < 9, B AS B.v >= 3) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(A.v) AS fa, LAST(A.v) AS la, COUNT(A.v) AS ca, B.v AS bv PATTERN (A{2,3} B) DEFINE A AS A.v < 9, B AS B.v >= 3) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(A.v) AS fa, LAST(A.v) AS la, COUNT(A.v) AS ca, B.v AS bv PATTERN (A{2,} B) DEFINE A AS A.v < 9, B AS B.v >= 3) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES FIRST(A.v) AS fa, LAST(A.v) AS la, COUNT(A.v) AS ca, B.v AS bv PATTERN (A{0,2}? B) DEFINE A AS A.v < 9, B AS B.v >= 3) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.v AS av, B.v AS bv, C.v AS cv PATTERN (A B? C) DEFINE A AS A.v < 3, B AS B.v > 2, C AS C.v > 2) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.v AS av, LAST(B.v) AS bv, C.v AS cv, COUNT(B.v) AS cb PATTERN (A B*? C) DEFINE A AS A.v < 3, C AS C.v > 2) AS m;
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.v AS av, LAST(B.v) AS bv, C.v AS cv, COUNT(B.v) AS cb PATTERN (A B* C) DEFINE A AS A.v < 3, B AS B.v < 9, C AS C.v > 2) AS m;
