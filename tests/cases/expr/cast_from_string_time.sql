-- TRY_CAST of strings to BOOLEAN, DATE, TIME, TIMESTAMP and BYTES
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['true']
--! +I['T']
--! +I['yes']
--! +I['0']
--! +I['No']
--! +I[' true']
--! +I['2024-02-03']
--! +I['2024-2-3']
--! +I['2023-02-29']
--! +I['2024-13-01']
--! +I['2024-02-03 04:05:06']
--! +I['2024-02-03 04:05:06.789']
--! +I['2024-02-03 04:05:06.123456789']
--! +I['2024-02-03T04:05:06']
--! +I['2024-02-03 04:05']
--! +I['2024-02-03 24:00:00']
--! +I['04:05:06']
--! +I['04:05']
--! +I['25:00:00']
--! +I['04:05:06.789']
--! +I['']
--! +I[NULL]
SELECT s, TRY_CAST(s AS BOOLEAN) AS bo, TRY_CAST(s AS BYTES) AS bb FROM t;
SELECT s, TRY_CAST(s AS DATE) AS dt, TRY_CAST(s AS TIME) AS tm FROM t;
SELECT s, TRY_CAST(s AS TIMESTAMP(3)) AS ts, TRY_CAST(s AS TIMESTAMP(0)) AS ts0, TRY_CAST(s AS TIMESTAMP(9)) AS ts9 FROM t;
