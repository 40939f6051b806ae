-- a number = a string
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a FROM t WHERE a = '1';
