-- HAVING: with AND, OR, NOT, CASE, NULL results, DISTINCT aggregates, without GROUP BY, over an updating input
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 1]
--! +I['a', NULL]
--! +I['b', 5]
--! +I['a', 5]
--! -D['a', 1]
--! +I['b', 5]
--! -U['b', 5]
--! +U['b', 50]
--! -D['a', 5]
SELECT k, SUM(v) AS s FROM t GROUP BY k HAVING SUM(v) > 4 OR COUNT(*) = 1;
SELECT k FROM t GROUP BY k HAVING NOT (MAX(v) > 4);
SELECT k, COUNT(*) AS c FROM t GROUP BY k HAVING COUNT(DISTINCT v) < COUNT(*);
SELECT MAX(v) AS m FROM t HAVING MAX(v) IS NOT NULL AND MIN(v) < 5;
SELECT k FROM t GROUP BY k HAVING k LIKE 'a%' AND COUNT(v) > 0;
SELECT k, CASE WHEN SUM(v) > 10 THEN 'big' ELSE 'small' END AS size FROM t GROUP BY k HAVING SUM(v) IS NOT NULL;
