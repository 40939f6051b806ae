-- REGEXP with an empty pattern or string is FALSE; the documentation counts empty matches
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['abc']
--! +I['']
SELECT s, REGEXP(s, '') AS a, REGEXP(s, 'x*') AS b, REGEXP(s, '^$') AS c, REGEXP(s, 'b') AS d FROM t;
