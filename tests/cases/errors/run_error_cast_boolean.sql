-- CAST of a string that is no BOOLEAN fails the job
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['yes']
--! +I['maybe']
SELECT CAST(s AS BOOLEAN) AS b FROM t;
