-- a comparison of types that have nothing in common
CREATE TABLE t (b BOOLEAN, d DATE) WITH ('connector' = 'inline');
--! data t
--! +I[TRUE, '2024-01-01']
SELECT b = d AS x FROM t;
