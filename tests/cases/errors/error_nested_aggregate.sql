-- an aggregate of an aggregate
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
SELECT MAX(SUM(v)) AS m FROM t GROUP BY k;
