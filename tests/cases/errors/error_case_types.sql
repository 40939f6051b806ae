-- CASE branches without a common type
CREATE TABLE t (a INT, b BOOLEAN) WITH ('connector' = 'inline');
--! data t
--! +I[1, TRUE]
SELECT CASE WHEN b THEN a ELSE b END AS x FROM t;
