-- a string || a number
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT 'n' || a AS s FROM t;
