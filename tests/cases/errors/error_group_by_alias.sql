-- an alias of SELECT in GROUP BY
CREATE TABLE t (k STRING) WITH ('connector' = 'inline');
SELECT UPPER(k) AS u, COUNT(*) AS c FROM t GROUP BY u;
