-- TRY_CAST of strings to numbers: blanks, signs, fractions, exponents, out of range; what does not parse is NULL
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['12']
--! +I[' 12 ']
--! +I['+7']
--! +I['-7.9']
--! +I['.5']
--! +I['5.']
--! +I['1e3']
--! +I['128']
--! +I['']
--! +I[' ']
--! +I['abc']
--! +I['12abc']
--! +I['0x1F']
--! +I['1_000']
--! +I['1,000']
--! +I['-0']
--! +I['000123']
--! +I['99999999999999999999']
--! +I['NaN']
--! +I['Infinity']
--! +I['0.05']
--! +I['9999.95']
--! +I[NULL]
SELECT s, TRY_CAST(s AS TINYINT) AS ti, TRY_CAST(s AS INT) AS i, TRY_CAST(s AS BIGINT) AS b FROM t;
SELECT s, TRY_CAST(s AS DOUBLE) AS d, TRY_CAST(s AS FLOAT) AS f FROM t;
SELECT s, TRY_CAST(s AS DECIMAL(5, 1)) AS de, TRY_CAST(s AS DECIMAL(20, 0)) AS d0 FROM t;
