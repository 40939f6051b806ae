-- GROUP BY 1 is a constant, not the first column
CREATE TABLE t (k STRING) WITH ('connector' = 'inline');
SELECT k, COUNT(*) AS c FROM t GROUP BY 1;
