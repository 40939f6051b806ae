-- SUM over a string
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['a']
SELECT SUM(s) AS x FROM t;
