-- an aggregate in GROUP BY
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
SELECT COUNT(*) AS c FROM t GROUP BY SUM(v);
