-- WHERE over a subquery's aggregate acts like HAVING: lone +U in, lone -U out
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
--! +I['a', 5]
--! +I['a', 10]
--! +I['b', 7]
--! +I['a', -10]
--! +I['a', -6]
SELECT k, s FROM (SELECT k, SUM(v) AS s, COUNT(*) AS c FROM t GROUP BY k) WHERE s BETWEEN 5 AND 15;
SELECT k FROM (SELECT k, SUM(v) AS s, COUNT(*) AS c FROM t GROUP BY k) WHERE c = 2;
SELECT COUNT(*) AS n FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k HAVING SUM(v) > 5);
