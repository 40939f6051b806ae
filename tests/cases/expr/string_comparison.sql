-- strings compare byte by byte: case, length, trailing blanks, CHAR(n) with its blanks, characters beyond ASCII
CREATE TABLE t (s STRING, c CHAR(3)) WITH ('connector' = 'inline');
--! data t
--! +I['ab', 'ab ']
--! +I['ab ', 'ab ']
--! +I['AB', 'abc']
--! +I['', '   ']
--! +I['ä', 'z  ']
--! +I['😀', 'a  ']
SELECT s = 'ab' AS a, s < 'b' AS b, s > 'AB' AS c, c = 'ab' AS d, c = 'ab ' AS e, s = c AS f, s > 'z' AS g FROM t;
SELECT s, COUNT(*) AS n FROM t GROUP BY s;
SELECT c, COUNT(*) AS n FROM t GROUP BY c;
SELECT c || '|' AS a, CHAR_LENGTH(c) AS l, c LIKE 'ab' AS k, TRIM(c) = 'ab' AS t, CAST(c AS STRING) || '|' AS s FROM t;
SELECT MIN(s) AS mi, MAX(s) AS ma FROM t;
