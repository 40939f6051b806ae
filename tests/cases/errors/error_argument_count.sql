-- too many arguments for a built-in function
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['a']
SELECT UPPER(s, s) AS b FROM t;
