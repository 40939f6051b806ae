-- a data line with too few values
CREATE TABLE t (a INT, b INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT a FROM t;
