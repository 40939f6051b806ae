-- SUM(DECIMAL(p,s)) is DECIMAL(38,s), AVG is DECIMAL(38,max(s,6)), MIN and MAX keep the type
CREATE TABLE t (k INT, a DECIMAL(5, 0), b DECIMAL(10, 2), c DECIMAL(20, 8), d DECIMAL(38, 20)) WITH ('connector' = 'inline');
--! data t
--! +I[1, 1, 1.00, 1.00000000, 1.00000000000000000000]
--! +I[1, 1, 0.01, 0.00000001, 2.00000000000000000001]
--! +I[1, 0, 0.02, 1.23456789, 123456789012345678.99999999999999999999]
--! +I[1, NULL, NULL, NULL, NULL]
SELECT SUM(a) AS a, SUM(b) AS b, SUM(c) AS c, SUM(d) AS d FROM t;
SELECT AVG(a) AS a, AVG(b) AS b, AVG(c) AS c, AVG(d) AS d FROM t;
SELECT k, MIN(a) AS a, MAX(b) AS b, MIN(c) AS c, MAX(d) AS d FROM t GROUP BY k;
SELECT SUM(a) / COUNT(a) AS q, SUM(b) * 2 AS m, SUM(a + b) AS ab, AVG(a * b) AS amb FROM t;
