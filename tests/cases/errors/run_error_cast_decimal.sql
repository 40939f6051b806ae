-- CAST of a string that does not fit the DECIMAL fails the job, where a number that does not fit gives NULL
CREATE TABLE t (s STRING, d DECIMAL(10, 3)) WITH ('connector' = 'inline');
--! data t
--! +I['1234.5', 12345.678]
--! +I['12345.678', 12345.678]
SELECT CAST(d AS DECIMAL(6, 2)) AS a, CAST(s AS DECIMAL(6, 2)) AS b FROM t;
