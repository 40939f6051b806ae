-- words after the end of a query
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a FROM t WHERE a = 1 GARBAGE;
