-- COUNT over two fields is refused by the planner
CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'inline');
--! data t
--! +I[1, 'x']
SELECT COUNT(DISTINCT a, b) AS ab FROM t;
