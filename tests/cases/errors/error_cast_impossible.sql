-- a cast that no value could pass
CREATE TABLE t (b BOOLEAN) WITH ('connector' = 'inline');
--! data t
--! +I[TRUE]
SELECT CAST(b AS DATE) AS x FROM t;
