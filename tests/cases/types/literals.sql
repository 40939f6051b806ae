-- literals and their types: integers by size, decimals, approximate numbers, strings, typed literals, intervals, hex, NULL, unicode
SELECT 1 AS a, 2147483648 AS b, 1.5 AS c, 0.10 AS d, .5 AS e, 1e3 AS f, 123456789012345678.5 AS g, -1 AS h, TRUE AS i, UNKNOWN AS j;
SELECT 'abc' AS a, '' AS b, 'it''s' AS c, DATE '2024-01-01' AS d, TIME '01:02:03' AS e, TIMESTAMP '2024-01-01 00:00:00' AS f, TIMESTAMP '2024-01-01 00:00:00.123456' AS g, X'0aFF' AS h, U&'\00e4' AS i;
SELECT INTERVAL '1' DAY AS a, INTERVAL '2' YEAR AS b, INTERVAL '1:02' HOUR TO MINUTE AS c, INTERVAL '3.5' SECOND AS d, INTERVAL -'1' MONTH AS e;
SELECT CAST(NULL AS INT) AS a, NULLIF(1, 1) AS b, CAST(1 AS TINYINT) AS c, 1 = 1 AS d, 1 = NULL AS e, 'a' = 'a ' AS f, CAST('a' AS CHAR(3)) = 'a' AS g;
