-- a changelog that begins with -U, +U or -D: aggregates ignore a retraction of an unknown group, +U opens one
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! -D['a', 1]
--! -U['a', 1]
--! +U['a', 2]
--! -D['a', 7]
--! +I['b', 1]
--! -D['b', 1]
--! -D['b', 1]
--! +I['b', 3]
SELECT k, v FROM t;
SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k;
SELECT k, MIN(v) AS mi, MAX(v) AS ma FROM t GROUP BY k;
SELECT COUNT(*) AS c FROM t;
SELECT DISTINCT k FROM t;
