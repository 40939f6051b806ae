-- two result columns of one name
CREATE TABLE t (a INT, b INT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 2]
SELECT a AS x, b AS x FROM t;
