-- CHAR(n) and VARCHAR(n) through expressions: types of concatenation, CASE, functions; values longer than declared pass as they are
CREATE TABLE t (c CHAR(3), v VARCHAR(5), s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['abc', 'abcde', 'x']
--! +I['a', 'too long for five', '']
--! +I[NULL, NULL, NULL]
SELECT c || v AS a, c || c AS b, v || 'xy' AS d, c || 'z' AS e, s || c AS f, 'a' || 'bc' AS g FROM t;
SELECT UPPER(c) AS a, TRIM(c) AS b, SUBSTRING(v, 1, 2) AS d, LOWER(v) AS e, REPLACE(v, 'a', 'bb') AS f, COALESCE(c, v) AS g, NULLIF(v, c) AS h, LEFT(v, 2) AS i, REVERSE(c) AS j FROM t;
SELECT CASE WHEN s = 'x' THEN c ELSE v END AS a, CASE WHEN s = 'x' THEN 'a' ELSE 'bcd' END AS b, CASE WHEN s = 'x' THEN 'abc' ELSE 'def' END AS d, IFNULL(c, 'zz') AS e FROM t;
SELECT c, v, CHAR_LENGTH(c) AS lc, CHAR_LENGTH(v) AS lv, CAST(v AS VARCHAR(3)) AS cv, CAST(c AS VARCHAR(2)) AS cc FROM t;
SELECT MAX(v) AS mv, MIN(c) AS mc FROM t;
