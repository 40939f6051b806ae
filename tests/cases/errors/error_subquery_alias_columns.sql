-- an alias with too many column names
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT p FROM (SELECT a FROM t) AS x (p, q);
