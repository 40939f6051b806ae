-- a data line with a value of the wrong type
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I['x']
SELECT a FROM t;
