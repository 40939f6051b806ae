-- expressions over aggregates, the same aggregate twice, constants and NULLs as arguments, HAVING over what is not selected
CREATE TABLE t (k STRING, v INT, w INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 2]
--! +I['a', NULL, 3]
--! +I['b', 10, NULL]
--! +I['a', 4, 4]
SELECT k, SUM(v) / COUNT(*) AS q, SUM(v) * 1.0 / COUNT(*) AS r, COALESCE(SUM(v), 0) + 1 AS s, CASE WHEN COUNT(*) > 1 THEN 'many' ELSE 'uno' END AS c FROM t GROUP BY k;
SELECT COUNT(*) AS a, COUNT(*) AS b, SUM(v) AS c, SUM(v) + SUM(w) AS d, SUM(v + w) AS e FROM t;
SELECT SUM(1) AS a, COUNT(1) AS b, MAX('x') AS c, COUNT(CAST(NULL AS INT)) AS d, SUM(CAST(NULL AS INT)) AS e, COUNT(DISTINCT 1) AS f FROM t;
SELECT k FROM t GROUP BY k HAVING SUM(w) > 4;
SELECT MAX(v) AS m FROM t GROUP BY k HAVING k = 'a' AND COUNT(v) < 2;
SELECT k, k, COUNT(*) AS c FROM t GROUP BY k, k;
SELECT COUNT(*) AS c FROM t GROUP BY ();
SELECT CAST(SUM(v) AS STRING) || k AS x FROM t GROUP BY k;
