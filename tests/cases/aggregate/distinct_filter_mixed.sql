-- DISTINCT, FILTER and plain aggregates over the same column in one query, with retraction
CREATE TABLE t (k STRING, u INT, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 1, 10]
--! +I['a', 1, 20]
--! +I['a', 2, 10]
--! +I['a', NULL, 10]
--! -U['a', 1, 20]
--! +U['a', 3, 20]
--! -D['a', 1, 10]
--! -D['a', 2, 10]
--! -D['a', NULL, 10]
--! -D['a', 3, 20]
SELECT k, COUNT(DISTINCT u) AS cu, COUNT(DISTINCT u) FILTER (WHERE v > 10) AS cuf, COUNT(u) AS c, COUNT(*) FILTER (WHERE u = 1) AS c1 FROM t GROUP BY k;
SELECT SUM(DISTINCT v) AS sd, SUM(v) AS s, AVG(DISTINCT v) AS ad, MIN(DISTINCT v) AS mi, MAX(DISTINCT u) AS ma FROM t;
SELECT SUM(DISTINCT u) FILTER (WHERE v = 10) AS s10, SUM(DISTINCT u) FILTER (WHERE v = 20) AS s20 FROM t;
