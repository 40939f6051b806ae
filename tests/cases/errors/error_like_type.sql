-- LIKE on a number
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a FROM t WHERE a LIKE '1%';
