-- which aggregates of a subquery an outer aggregate keeps alive: those it reads; if it reads no column at all (COUNT(*)), all of them
CREATE TABLE t (k STRING, v INT, w INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 1]
--! +I['a', 1, 2]
--! +I['b', 5, 3]
--! +I['a', 0, 4]
SELECT COUNT(*) AS n FROM (SELECT k, SUM(w) AS s, MAX(v) AS m FROM t GROUP BY k);
SELECT COUNT(k) AS n FROM (SELECT k, SUM(w) AS s, MAX(v) AS m FROM t GROUP BY k);
SELECT COUNT(*) AS n, MAX(k) AS mk FROM (SELECT k, SUM(w) AS s FROM t GROUP BY k);
SELECT MAX(m) AS n FROM (SELECT k, SUM(w) AS s, MAX(v) AS m FROM t GROUP BY k);
SELECT v, COUNT(*) AS n FROM (SELECT k, v, SUM(w) AS s FROM t GROUP BY k, v) GROUP BY v;
SELECT 1 AS x FROM (SELECT SUM(w) AS s FROM t);
SELECT 1 AS x FROM (SELECT k, SUM(w) AS s FROM t GROUP BY k);
SELECT k FROM (SELECT k, SUM(w) AS s FROM t GROUP BY k UNION ALL SELECT k, v FROM t);
SELECT COUNT(*) AS n FROM (SELECT k, SUM(w) AS s FROM t GROUP BY k UNION ALL SELECT k, v FROM t WHERE v > 4);
