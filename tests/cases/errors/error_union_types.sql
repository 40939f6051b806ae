-- UNION ALL of columns without a common type
CREATE TABLE t (a INT, b BOOLEAN) WITH ('connector' = 'inline');
--! data t
--! +I[1, TRUE]
SELECT a FROM t UNION ALL SELECT b FROM t;
