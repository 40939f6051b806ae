-- WHERE after GROUP BY
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a, COUNT(*) AS c FROM t GROUP BY a WHERE a > 1;
