-- DECIMAL(39, 0) is no error: it becomes DECIMAL(38, 0)
CREATE TABLE t (a DECIMAL(39, 0)) WITH ('connector' = 'inline');
--! data t
--! +I[12345678901234567890123456789012345678]
SELECT a, a + 1 AS b FROM t;
