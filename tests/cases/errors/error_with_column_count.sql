-- a common table expression with too few column names
CREATE TABLE t (a INT, b INT) WITH ('connector' = 'inline');
WITH x (p) AS (SELECT a, b FROM t) SELECT p FROM x;
