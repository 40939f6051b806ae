-- two common table expressions of one name are no error: which one is meant?
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
WITH x AS (SELECT a FROM t), x AS (SELECT a + 100 AS a FROM t) SELECT a FROM x;
