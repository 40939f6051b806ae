-- CASE of both forms, its result type and nullability; COALESCE, NULLIF, IFNULL and IF
CREATE TABLE t (i INT, n INT NOT NULL, s STRING, d DECIMAL(5, 2), b BIGINT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 1, 'a', 1.25, 10]
--! +I[2, 2, 'bb', NULL, NULL]
--! +I[NULL, 3, NULL, 3.00, 30]
SELECT CASE i WHEN 1 THEN 'one' WHEN 2 THEN 'two' ELSE 'other' END AS a, CASE WHEN i = 1 THEN 'x' WHEN i = 2 THEN 'yy' END AS b, CASE i WHEN NULL THEN 'never' ELSE 'always' END AS c FROM t;
SELECT CASE WHEN i = 1 THEN i ELSE b END AS a, CASE WHEN i = 1 THEN i ELSE d END AS b, CASE WHEN n > 1 THEN n ELSE 0 END AS c, CASE WHEN n > 1 THEN NULL ELSE n END AS e, CASE WHEN i = 1 THEN 1 ELSE 2.5 END AS f FROM t;
SELECT COALESCE(i, n) AS a, COALESCE(i, b) AS b, COALESCE(s, 'zzz') AS c, COALESCE(d, 0) AS e, COALESCE(NULL, i, 7) AS f, COALESCE(i, CAST(NULL AS INT)) AS g FROM t;
SELECT NULLIF(i, 1) AS a, NULLIF(s, 'a') AS b, NULLIF(n, n) AS c, NULLIF(d, 3) AS e, NULLIF(1, i) AS f FROM t;
SELECT IFNULL(i, n) AS a, IFNULL(s, 'none') AS b, IF(i > 1, 'big', 'small') AS c, IF(i IS NULL, n, i) AS e FROM t;
SELECT CASE WHEN s = 'a' THEN CASE WHEN i = 1 THEN 'both' ELSE 's' END ELSE s END AS x, CASE WHEN TRUE THEN n END AS y FROM t;
