-- TRY_CAST of strings: what parses as each type (blanks, signs, fractions, out of range), and what is NULL
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['12']
--! +I[' 12 ']
--! +I['+7']
--! +I['-7.9']
--! +I['1e3']
--! +I['128']
--! +I['']
--! +I['abc']
--! +I['true']
--! +I['F']
--! +I['1']
--! +I['2024-02-30']
--! +I['2024-2-3']
--! +I['2024-02-03 04:05:06.789']
--! +I['2024-02-03T04:05:06']
--! +I['04:05']
--! +I['99999999999999999999']
--! +I['NaN']
--! +I['Infinity']
--! +I[NULL]
SELECT s, TRY_CAST(s AS TINYINT) AS ti, TRY_CAST(s AS INT) AS i, TRY_CAST(s AS BIGINT) AS b, TRY_CAST(s AS DOUBLE) AS d, TRY_CAST(s AS FLOAT) AS f, TRY_CAST(s AS DECIMAL(5, 1)) AS de FROM t;
SELECT s, TRY_CAST(s AS BOOLEAN) AS bo, TRY_CAST(s AS DATE) AS dt, TRY_CAST(s AS TIME) AS tm, TRY_CAST(s AS TIMESTAMP(3)) AS ts, TRY_CAST(s AS TIMESTAMP(0)) AS ts0, TRY_CAST(s AS BYTES) AS bb FROM t;
