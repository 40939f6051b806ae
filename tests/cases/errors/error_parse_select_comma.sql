-- a comma before FROM
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a, FROM t;
