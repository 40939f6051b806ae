-- the examples of the documentation of string functions and comparisons, those that hold
SELECT REPLACE('hello world', 'world', 'flink') AS a, REPLACE('ababab', 'abab', 'z') AS b, REGEXP_REPLACE('foobar', 'oo|ar', '') AS c, REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2) AS d;
SELECT OVERLAY('xxxxxtest' PLACING 'xxxx' FROM 6) AS a, OVERLAY('xxxxxtest' PLACING 'xxxx' FROM 6 FOR 2) AS b, LPAD('hi', 4, '??') AS c, LPAD('hi', 1, '??') AS d, RPAD('hi', 4, '??') AS e, RPAD('hi', 1, '??') AS f;
SELECT CONCAT('AA', 'BB', 'CC') AS a, CONCAT_WS('~', 'AA', CAST(NULL AS STRING), 'BB', '', 'CC') AS b, FROM_BASE64('aGVsbG8gd29ybGQ=') AS c, TO_BASE64('hello world') AS d, ASCII('abc') AS e, CHR(97) AS f;
SELECT LTRIM(' This is a test String.') AS a, RTRIM('This is a test String. ') AS b, REPEAT('This is a test String.', 2) AS c, HEX(20) AS d, HEX(100) AS e, HEX('hello,world') AS f, BIN(4) AS g, BIN(12) AS h;
SELECT 12 BETWEEN 15 AND 12 AS a, 12 BETWEEN SYMMETRIC 15 AND 12 AS b, 12 BETWEEN 10 AND CAST(NULL AS INT) AS c, 12 BETWEEN CAST(NULL AS INT) AND 10 AS d, 12 NOT BETWEEN 15 AND CAST(NULL AS INT) AS e, 12 NOT BETWEEN 15 AND 12 AS f;
SELECT 1 IN (1, 2, CAST(NULL AS INT)) AS a, 4 IN (1, 2, CAST(NULL AS INT)) AS b, 4 NOT IN (1, 2, CAST(NULL AS INT)) AS c, 1 NOT IN (1, 2, CAST(NULL AS INT)) AS d, NULLIF(5, 5) AS e, NULLIF(5, 0) AS f, IF(5 > 3, 5, 3) AS g;
SELECT CAST('42' AS INT) AS a, CAST(NULL AS STRING) AS b, TRY_CAST('non-number' AS INT) AS c, COALESCE(TRY_CAST('non-number' AS INT), 0) AS d, COALESCE(NULL, 'default') AS e;
