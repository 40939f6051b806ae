-- IN over types without a common one
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a FROM t WHERE a IN (TRUE, FALSE);
