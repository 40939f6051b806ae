-- REGEXP_EXTRACT with a pattern that is no regular expression
CREATE TABLE t (s STRING, p STRING) WITH ('connector' = 'inline');
--! data t
--! +I['a', 'a']
--! +I['a', '(']
--! +I['b', 'b']
SELECT REGEXP_EXTRACT(s, p) AS r FROM t;
