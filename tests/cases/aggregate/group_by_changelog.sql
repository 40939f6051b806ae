-- a changelog into GROUP BY two keys: a row that moves between groups, NULL in the keys
CREATE TABLE t (id INT, a STRING, b INT, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 'x', 1, 10]
--! +I[2, 'x', 2, 20]
--! -U[1, 'x', 1, 10]
--! +U[1, 'x', 2, 10]
--! -U[2, 'x', 2, 20]
--! +U[2, NULL, 2, 20]
--! +I[3, NULL, NULL, 5]
--! -D[2, NULL, 2, 20]
--! -D[3, NULL, NULL, 5]
SELECT a, b, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY a, b;
SELECT b, a, SUM(v) AS s FROM t GROUP BY a, b;
SELECT SUM(v) AS s FROM t GROUP BY a, b;
SELECT a FROM t GROUP BY a, b;
