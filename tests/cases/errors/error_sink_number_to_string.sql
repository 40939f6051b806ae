-- a number into a STRING column, in the second of three columns
CREATE TABLE t (k STRING, i INT NOT NULL, d DECIMAL(5, 2)) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, s STRING, d DOUBLE NOT NULL) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 1.00]
INSERT INTO o SELECT k, i, d FROM t;
