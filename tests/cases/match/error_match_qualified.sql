-- MATCH_RECOGNIZE: a qualified partition
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
CREATE TABLE c (k STRING, v INT, ts TIMESTAMP(3), PRIMARY KEY (k) NOT ENFORCED, WATERMARK FOR ts AS ts) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
SELECT k FROM t MATCH_RECOGNIZE (PARTITION BY k ORDER BY ts MEASURES A.v AS k PATTERN (A B) DEFINE B AS B.v > 1) AS m;
