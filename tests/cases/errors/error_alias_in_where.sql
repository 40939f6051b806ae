-- an alias of SELECT is not known in WHERE
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT a + 1 AS b FROM t WHERE b > 1;
