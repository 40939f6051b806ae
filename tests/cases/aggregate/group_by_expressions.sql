-- GROUP BY an expression, a CASE, a computed alias of a subquery, an ordinal position and a constant
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
--! +I['A', 12]
--! +I['b', 3]
--! +I[NULL, 14]
--! +I['a', NULL]
SELECT UPPER(k) AS u, COUNT(*) AS c FROM t GROUP BY UPPER(k);
SELECT v / 10 AS tens, SUM(v) AS s FROM t GROUP BY v / 10;
SELECT CASE WHEN v > 10 THEN 'big' ELSE 'small' END AS size, COUNT(*) AS c FROM t GROUP BY CASE WHEN v > 10 THEN 'big' ELSE 'small' END;
SELECT u, COUNT(*) AS c FROM (SELECT UPPER(k) AS u FROM t) GROUP BY u;
SELECT UPPER(k) || '!' AS x, MAX(v) + 1 AS m FROM t GROUP BY UPPER(k);
SELECT COUNT(*) AS c FROM t GROUP BY 1 = 1;
SELECT k IS NULL AS n, COUNT(*) AS c FROM t GROUP BY k IS NULL;
