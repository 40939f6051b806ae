-- COALESCE of a number and a string
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT COALESCE(a, 'none') AS s FROM t;
