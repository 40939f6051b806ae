-- an unknown function
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT FROBNICATE(a, 1) AS b FROM t;
