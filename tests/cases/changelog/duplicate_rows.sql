-- a table without a key may hold equal rows: each delete removes one
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 1]
--! +I['a', 1]
--! +I['a', 1]
--! -D['a', 1]
--! -D['a', 1]
--! +I['a', 1]
--! -D['a', 1]
--! -D['a', 1]
SELECT k, COUNT(*) AS c, COUNT(DISTINCT v) AS d, SUM(v) AS s, MIN(v) AS m FROM t GROUP BY k;
SELECT DISTINCT k, v FROM t;
SELECT c, COUNT(*) AS n FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) GROUP BY c;
