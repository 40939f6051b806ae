-- an aggregate that nobody reads is not computed, and so does not update: only changes of what is read come out
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
--! +I['a', 1]
--! +I['a', 5]
--! +I['b', 5]
--! +I['b', 0]
SELECT k, m FROM (SELECT k, MAX(v) AS m, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k);
SELECT k FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k);
SELECT COUNT(*) AS n FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k);
SELECT COUNT(s) AS n FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k);
SELECT m FROM (SELECT k, MAX(v) AS m, SUM(v) AS s FROM t GROUP BY k) WHERE s > 1;
CREATE VIEW w AS SELECT k, COUNT(*) AS c, MIN(v) AS mi FROM t GROUP BY k;
SELECT mi FROM w;
SELECT 'x' AS x FROM w;
