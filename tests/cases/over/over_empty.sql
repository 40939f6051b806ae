-- OVER a table without rows
CREATE TABLE t (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data t
SELECT k, v, ts, SUM(v) OVER w AS s, COUNT(*) OVER w AS c, MIN(v) OVER w AS mi, MAX(v) OVER w AS ma FROM t WINDOW w AS (PARTITION BY k ORDER BY ts );
