-- GREATEST of a number and a string
CREATE TABLE t (a INT, s STRING) WITH ('connector' = 'inline');
SELECT GREATEST(a, s) AS g FROM t;
