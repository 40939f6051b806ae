-- a timestamp minus a timestamp
CREATE TABLE t (a TIMESTAMP(3), b TIMESTAMP(3)) WITH ('connector' = 'inline');
SELECT a - b AS d FROM t;
