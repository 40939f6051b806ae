-- case, length, trimming, padding, cutting: empty strings, NULLs, positions out of range, characters beyond ASCII
CREATE TABLE t (s STRING, n INT) WITH ('connector' = 'inline');
--! data t
--! +I['Hello World', 3]
--! +I['  äÖ ', 0]
--! +I['', -1]
--! +I['x', 100]
--! +I['😀a', 1]
--! +I[NULL, 1]
--! +I['abc', NULL]
SELECT UPPER(s) AS up, LOWER(s) AS lo, INITCAP(s) AS ic, CHAR_LENGTH(s) AS cl, CHARACTER_LENGTH(s) AS cl2, REVERSE(s) AS rv, ASCII(s) AS ac FROM t;
SELECT TRIM(s) AS t, TRIM(LEADING FROM s) AS tl, TRIM(TRAILING FROM s) AS tt, TRIM(BOTH 'H' FROM s) AS tb, TRIM(LEADING 'xa' FROM s) AS tx, LTRIM(s) AS lt, RTRIM(s) AS rt, BTRIM(s) AS bt FROM t;
SELECT SUBSTRING(s FROM 2) AS a, SUBSTRING(s FROM 2 FOR 3) AS b, SUBSTRING(s, n) AS c, SUBSTRING(s, n, 2) AS d, SUBSTRING(s, 1, n) AS e, SUBSTR(s, -3, 2) AS f, SUBSTRING(s, 1, 0) AS g FROM t;
SELECT LEFT(s, n) AS l, RIGHT(s, n) AS r, LEFT(s, 2) AS l2, RIGHT(s, 2) AS r2, REPEAT(s, 2) AS rp, REPEAT(s, n) AS rn FROM t WHERE n < 50 OR n IS NULL;
SELECT LPAD(s, 5, 'xy') AS a, RPAD(s, 5, 'xy') AS b, LPAD(s, 2, 'xy') AS c, LPAD(s, n, '*') AS d, RPAD(s, -1, 'x') AS f FROM t WHERE (n < 50 OR n IS NULL) AND s NOT LIKE '%a' OR s IS NULL;
