-- COUNT(DISTINCT *)
CREATE TABLE t (k STRING) WITH ('connector' = 'inline');
--! data t
--! +I['a']
SELECT COUNT(DISTINCT *) AS m FROM t;
