-- CAST of a string that is no DATE fails the job
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['2024-02-29']
--! +I['today']
SELECT CAST(s AS DATE) AS d FROM t;
