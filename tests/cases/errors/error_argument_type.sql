-- a function's argument of a wrong type
CREATE TABLE t (b BOOLEAN) WITH ('connector' = 'inline');
--! data t
--! +I[TRUE]
SELECT SUBSTRING(b, 1) AS x FROM t;
