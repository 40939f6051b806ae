-- MATCH_RECOGNIZE: a reluctant optional variable
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES A.v AS av, B.v AS bv, C.v AS cv PATTERN (A B?? C) DEFINE A AS A.v < 3, B AS B.v > 2, C AS C.v > 2) AS m;
