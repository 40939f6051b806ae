-- HAVING over a column that is not grouped
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
SELECT k FROM t GROUP BY k HAVING v > 1;
