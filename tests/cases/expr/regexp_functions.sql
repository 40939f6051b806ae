-- REGEXP, REGEXP_EXTRACT, REGEXP_REPLACE: groups, no match, NULLs, patterns from a column
CREATE TABLE t (s STRING, p STRING) WITH ('connector' = 'inline');
--! data t
--! +I['foo-123-bar', '[0-9]+']
--! +I['foobar', '(o+)(b)']
--! +I['', '']
--! +I[NULL, 'a']
--! +I['aaa', NULL]
--! +I['$1', '\$']
SELECT REGEXP_EXTRACT(s, '([a-z]+)-([0-9]+)', 2) AS a, REGEXP_EXTRACT(s, '([a-z]+)-([0-9]+)', 0) AS b, REGEXP_EXTRACT(s, 'o+') AS c, REGEXP_EXTRACT(s, p) AS d, REGEXP_EXTRACT(s, '([a-z]+)', 5) AS e FROM t;
SELECT REGEXP_REPLACE(s, '[0-9]', '#') AS a, REGEXP_REPLACE(s, p, '<>') AS c, REGEXP_REPLACE(s, 'o', '') AS d FROM t;
SELECT REGEXP(s, '[0-9]') AS a, REGEXP(s, '^foo') AS b, REGEXP(s, p) AS c, s SIMILAR TO '%[0-9]%' AS d FROM t;
