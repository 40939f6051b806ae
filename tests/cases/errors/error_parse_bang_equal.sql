-- != is not allowed, <> is
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a FROM t WHERE a != 1;
