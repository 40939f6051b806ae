-- an aggregate in WHERE
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
SELECT k FROM t WHERE SUM(v) > 1 GROUP BY k;
