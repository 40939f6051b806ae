-- an unknown column of a known alias
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT x.a, x.b FROM t AS x;
