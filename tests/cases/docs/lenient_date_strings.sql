-- strings that the documentation's format would not allow: a year alone as DATE, an hour alone as TIME, 30 February as TIMESTAMP but not as DATE
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['12']
--! +I['2024-02']
--! +I['2024-02-30']
--! +I['2024-02-31 10:00:00']
--! +I['2024-02-32']
--! +I['2024-02-03garbage']
--! +I['2024-02-03 garbage']
--! +I['4:5:6']
--! +I['20240203']
SELECT s, TRY_CAST(s AS DATE) AS dt, TRY_CAST(s AS TIME) AS tm, TRY_CAST(s AS TIMESTAMP(3)) AS ts FROM t;
