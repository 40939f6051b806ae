-- defect: TRY_CAST of some strings that are no numbers to DECIMAL gives 0 instead of NULL
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['F']
--! +I['f']
--! +I['FALSE']
--! +I['E']
--! +I['-']
--! +I['.']
--! +I['1F']
--! +I['1D']
--! +I['1.2.3']
--! +I['a']
SELECT s, TRY_CAST(s AS DECIMAL(5, 1)) AS de, TRY_CAST(s AS DOUBLE) AS d FROM t;
