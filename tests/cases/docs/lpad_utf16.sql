-- LPAD and RPAD count UTF-16 units where the other string functions count characters; an empty pad gives NULL also where nothing is padded
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['😀a']
--! +I['abcdef']
SELECT LPAD(s, 5, 'xy') AS a, RPAD(s, 4, 'z') AS b, CHAR_LENGTH(s) AS c, LPAD(s, 3, '') AS d, RPAD(s, 10, '') AS e FROM t;
