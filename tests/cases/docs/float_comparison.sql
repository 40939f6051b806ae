-- FLOAT with DOUBLE: the left operand decides the type, so f = d and d = f differ
CREATE TABLE t (f FLOAT, d DOUBLE) WITH ('connector' = 'inline');
--! data t
--! +I[0.1, 0.1]
--! +I[0.5, 0.5]
SELECT f = d AS fd, d = f AS df, f + d AS a, d + f AS b, f = 0.1 AS lit, CASE WHEN TRUE THEN f ELSE d END AS c FROM t;
SELECT f FROM t UNION ALL SELECT d FROM t;
SELECT d FROM t UNION ALL SELECT f FROM t;
