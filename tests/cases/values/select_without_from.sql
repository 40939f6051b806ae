-- SELECT without FROM gives one row at step 0; a constant aggregate
SELECT 1 + 2 AS a, UPPER('x') AS b, CAST('12' AS INT) AS c;
SELECT COUNT(*) AS c, SUM(1) AS s;
SELECT 10 / 4 AS a, 10 / 4.0 AS b, 7 % 3 AS c, 'a' || 'b' AS d, 1 < 2 AS e, NOT TRUE AS f;
