-- an unknown table alias before a column
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT y.a FROM t AS x;
