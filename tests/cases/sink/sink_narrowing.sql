-- INSERT INTO also narrows by itself: integers wrap, decimals round or become NULL, timestamps lose digits
CREATE TABLE t (b BIGINT, de DECIMAL(10, 4), ts TIMESTAMP(6), d DOUBLE) WITH ('connector' = 'inline');
CREATE TABLE o (b INT, de DECIMAL(5, 2), ts TIMESTAMP(0), d FLOAT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 1.2350, '2024-01-01 00:00:00.999999', 0.1]
--! +I[2147483648, 999.9950, '1969-12-31 23:59:59.999999', 1e300]
INSERT INTO o SELECT b, de, ts, d FROM t;
