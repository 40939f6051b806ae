-- a DATE plus a number
CREATE TABLE t (d DATE) WITH ('connector' = 'inline');
SELECT d + 1 AS n FROM t;
