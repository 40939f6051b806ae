-- three levels of aggregates: each -U and +U of a level is a step of its own on the next
CREATE TABLE t (a STRING, b STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['x', 'p', 1]
--! +I['x', 'q', 1]
--! +I['x', 'p', 2]
--! +I['y', 'p', 3]
--! -D['x', 'q', 1]
--! -U['x', 'p', 2]
--! +U['y', 'p', 2]
SELECT MAX(s) AS m, COUNT(*) AS c FROM (SELECT a, SUM(s) AS s FROM (SELECT a, b, SUM(v) AS s FROM t GROUP BY a, b) GROUP BY a);
SELECT s, COUNT(*) AS c FROM (SELECT a, SUM(v) AS s FROM t GROUP BY a) GROUP BY s;
SELECT COUNT(DISTINCT s) AS d FROM (SELECT a, b, SUM(v) AS s FROM t GROUP BY a, b);
SELECT MIN(c) AS mi, AVG(c) AS av FROM (SELECT a, COUNT(*) AS c FROM t GROUP BY a);
