-- MATCH_RECOGNIZE: an unknown variable
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
CREATE TABLE c (k STRING, v INT, ts TIMESTAMP(3), PRIMARY KEY (k) NOT ENFORCED, WATERMARK FOR ts AS ts) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
SELECT * FROM t MATCH_RECOGNIZE (ORDER BY ts MEASURES C.v AS a PATTERN (A B) DEFINE B AS B.v > 1) AS m;
