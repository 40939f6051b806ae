-- what INSERT INTO casts by itself: integers and DECIMAL to wider and approximate types, any number to DECIMAL, timestamps to other precisions, DATE and TIME, CHAR and BINARY to longer
CREATE TABLE t (ti TINYINT, i INT NOT NULL, b BIGINT, f FLOAT, d DOUBLE, de DECIMAL(10, 4), ts TIMESTAMP(6), l TIMESTAMP_LTZ(6), c CHAR(3), v VARCHAR(10), bi BINARY(2), s STRING, bo BOOLEAN) WITH ('connector' = 'inline');
CREATE TABLE n (a BIGINT, b DOUBLE, c FLOAT, d DOUBLE, e DECIMAL(5, 2), f DECIMAL(5, 2), g FLOAT) WITH ('connector' = 'inline');
CREATE TABLE m (a INT, b DECIMAL(20, 6), c DECIMAL(5, 2), d DECIMAL(3, 1), e DOUBLE, f BOOLEAN) WITH ('connector' = 'inline');
CREATE TABLE z (a TIMESTAMP(0), b TIMESTAMP_LTZ(3), c DATE, d TIME, e TIMESTAMP(3), f TIMESTAMP_LTZ(0)) WITH ('connector' = 'inline');
CREATE TABLE s (a CHAR(4), b STRING, c VARCHAR(2), d STRING, e VARCHAR(3), f BINARY(3), g BYTES, h VARCHAR(3)) WITH ('connector' = 'inline');
--! data t
--! +I[1, 2, 5000000000, 1.1, 1.005, 12.3450, '2024-01-01 12:34:56.789999', '2024-01-01 12:34:56.789999', 'abc', 'abcdef', X'00ff', 'uvwxyz', TRUE]
--! +I[NULL, 3, NULL, NULL, 1234.5, 9999.9950, '2023-12-31 23:59:59.999999', NULL, NULL, 'a', NULL, '', NULL]
INSERT INTO n SELECT ti, i, b, f, d, de, de FROM t;
INSERT INTO m SELECT ti, b, b, f, de, bo FROM t;
INSERT INTO z SELECT ts, ts, ts, ts, l, l FROM t;
INSERT INTO s SELECT c, c, c, v, v, bi, bi, s FROM t;
