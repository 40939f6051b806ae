-- defect: TO_DATE(string, format) of a string that does not parse is a date far away, not NULL; TO_TIMESTAMP reads the default format as well as the given one
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['03/02/2024']
--! +I['garbage']
--! +I['']
--! +I['2024-02-03']
--! +I['2024-02-03 04:05:06']
SELECT s, TO_DATE(s, 'dd/MM/yyyy') AS d, TO_TIMESTAMP(s, 'dd/MM/yyyy') AS t, TO_DATE(s) AS d0 FROM t;
