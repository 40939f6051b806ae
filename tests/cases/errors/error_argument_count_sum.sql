-- an aggregate function without its argument
CREATE TABLE t (v INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT SUM() AS b FROM t;
