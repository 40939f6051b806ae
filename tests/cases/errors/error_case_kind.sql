-- a data line without a row kind
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! [1]
SELECT a FROM t;
