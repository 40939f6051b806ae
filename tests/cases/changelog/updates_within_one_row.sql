-- -U and +U need not be neighbours: other rows may come between them, and +U may come without its -U
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 1]
--! +I['b', 2]
--! -U['a', 1]
--! -U['b', 2]
--! +U['b', 3]
--! +U['a', 4]
--! +U['c', 9]
--! -U['c', 9]
SELECT k, v FROM t;
SELECT k, SUM(v) AS s FROM t GROUP BY k;
SELECT COUNT(*) AS c, MAX(v) AS m FROM t;
SELECT v > 2 AS big, COUNT(*) AS c FROM t GROUP BY v > 2;
