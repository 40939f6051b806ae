-- UNION ALL of different column counts
CREATE TABLE t (a INT, b INT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 2]
SELECT a FROM t UNION ALL SELECT a, b FROM t;
