-- DECIMAL divided by zero
CREATE TABLE t (d DECIMAL(5, 2)) WITH ('connector' = 'inline');
--! data t
--! +I[2.00]
--! +I[0.00]
SELECT 1.00 / d AS q FROM t;
