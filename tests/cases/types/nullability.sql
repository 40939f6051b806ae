-- nullability of results: NOT NULL columns and literals, operators, functions, CASE, COALESCE, aggregates, keys
CREATE TABLE t (n INT NOT NULL, i INT, s STRING NOT NULL, ts TIMESTAMP(3) NOT NULL, PRIMARY KEY (n) NOT ENFORCED) WITH ('connector' = 'inline');
--! data t
--! +I[1, NULL, 'a', '2024-01-01 00:00:00']
SELECT n + 1 AS a, n + i AS b, n > 0 AS c, i > 0 AS d, i IS NULL AS e, NOT (n > 0) AS f, n > 0 OR i > 0 AS g, -n AS h, n / 2 AS j, n % 2 AS k FROM t;
SELECT UPPER(s) AS a, s || 'x' AS b, SUBSTRING(s, 1) AS c, CHAR_LENGTH(s) AS d, REPLACE(s, 'a', 'b') AS e, s LIKE 'a' AS f, TRIM(s) AS g, CONCAT(s, 'b') AS h, POSITION('a' IN s) AS j, LPAD(s, 2, 'x') AS k, SPLIT_INDEX(s, ',', 0) AS l FROM t;
SELECT CAST(n AS BIGINT) AS a, CAST(s AS STRING) AS b, TRY_CAST(s AS INT) AS c, COALESCE(i, n) AS d, NULLIF(n, 1) AS e, CASE WHEN n > 0 THEN n ELSE 0 END AS f, CASE WHEN n > 0 THEN n END AS g, ABS(n) AS h, ROUND(n, 0) AS j, GREATEST(n, 2) AS k FROM t;
SELECT EXTRACT(YEAR FROM ts) AS a, FLOOR(ts TO DAY) AS b, ts + INTERVAL '1' DAY AS c, DATE_FORMAT(ts, 'yyyy') AS d, CAST(ts AS DATE) AS e, TIMESTAMPDIFF(DAY, ts, ts) AS f, TO_TIMESTAMP(s) AS g, TIMESTAMPADD(DAY, n, ts) AS h FROM t;
SELECT COUNT(*) AS a, COUNT(i) AS b, SUM(n) AS c, MIN(s) AS d, AVG(n) AS e FROM t;
SELECT s, COUNT(*) AS a, SUM(n) AS c, MIN(s) AS d, MAX(i) AS e, SUM(n) FILTER (WHERE n > 1) AS f, SUM(DISTINCT n) AS g, AVG(n) AS h FROM t GROUP BY s;
