-- CAST of a string that is no number fails the job
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['12']
--! +I['12a']
SELECT CAST(s AS INT) AS i FROM t;
