-- FILTER over a number
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT COUNT(*) FILTER (WHERE a) AS c FROM t;
