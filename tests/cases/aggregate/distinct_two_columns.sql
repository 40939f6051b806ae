-- several DISTINCT columns side by side; pairs are counted over a SELECT DISTINCT
CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'inline');
--! data t
--! +I[1, 'x']
--! +I[1, 'y']
--! +I[1, 'x']
--! +I[2, NULL]
--! +I[NULL, 'x']
--! +I[2, 'x']
SELECT COUNT(DISTINCT a) AS a, COUNT(DISTINCT b) AS b, COUNT(*) AS c FROM t;
SELECT COUNT(*) AS ab FROM (SELECT DISTINCT a, b FROM t);
SELECT a, COUNT(DISTINCT b) AS b, SUM(DISTINCT a) AS s FROM t GROUP BY a;
