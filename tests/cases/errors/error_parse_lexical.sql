-- a character that no token begins with
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a & 1 AS x FROM t;
