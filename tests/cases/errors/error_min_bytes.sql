-- MIN over BYTES
CREATE TABLE t (b BYTES) WITH ('connector' = 'inline');
SELECT MIN(b) AS m FROM t;
