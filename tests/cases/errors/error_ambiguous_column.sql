-- a name that two columns of a subquery have
CREATE TABLE t (a INT, b INT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 2]
SELECT x FROM (SELECT a AS x, b AS x FROM t);
