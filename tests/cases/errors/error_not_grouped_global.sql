-- a column beside a global aggregate
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
SELECT k, SUM(v) AS s FROM t;
