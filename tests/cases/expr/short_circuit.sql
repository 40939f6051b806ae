-- what is not needed is not evaluated: AND and OR stop early, CASE takes one branch, unused columns are pruned
CREATE TABLE t (i INT, s STRING) WITH ('connector' = 'inline');
--! data t
--! +I[2, '5']
--! +I[0, 'x']
--! +I[NULL, NULL]
SELECT i FROM t WHERE i <> 0 AND 10 / i > 1;
SELECT i FROM t WHERE i = 0 OR 10 / i > 1;
SELECT CASE WHEN i = 0 THEN -1 ELSE 10 / i END AS q FROM t;
SELECT i FROM (SELECT i, 10 / i AS q, CAST(s AS INT) AS n FROM t);
SELECT CASE WHEN s = 'x' THEN 0 ELSE CAST(s AS INT) END AS n FROM t;
SELECT IF(i = 0, 0, 10 / i) AS q, COALESCE(i, 1) AS c FROM t;
SELECT COUNT(*) AS c FROM (SELECT 10 / i AS q FROM t);
