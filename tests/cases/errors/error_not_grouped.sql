-- a column that is neither grouped nor aggregated
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
SELECT k, v, COUNT(*) AS c FROM t GROUP BY k;
