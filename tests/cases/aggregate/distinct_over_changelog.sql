-- SELECT DISTINCT over an updating input counts rows, and DISTINCT over an aggregate's result
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 1]
--! +I['b', 1]
--! -U['a', 1]
--! +U['a', 2]
--! -D['b', 1]
--! +I[NULL, 2]
--! -D['a', 2]
--! -D[NULL, 2]
SELECT DISTINCT v FROM t;
SELECT DISTINCT k, v FROM t;
SELECT DISTINCT s FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k);
SELECT DISTINCT COUNT(*) AS c FROM t GROUP BY k;
SELECT k FROM t GROUP BY k;
SELECT DISTINCT v > 1 AS b, 'c' AS c FROM t;
