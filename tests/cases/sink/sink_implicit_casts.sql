-- what INSERT INTO casts by itself: widening numbers, CHAR to STRING, precision of timestamps, NOT NULL to nullable
CREATE TABLE t (ti TINYINT, i INT NOT NULL, f FLOAT, de DECIMAL(5, 2), c CHAR(3), ts TIMESTAMP(3), d DATE) WITH ('connector' = 'inline');
CREATE TABLE o (a BIGINT, b DOUBLE, c DOUBLE, d DECIMAL(10, 4), e STRING, f TIMESTAMP(6), g TIMESTAMP(3)) WITH ('connector' = 'inline');
CREATE TABLE p (a INT, b BIGINT, c FLOAT, d DOUBLE, e VARCHAR(10), f TIMESTAMP_LTZ(3), g DATE) WITH ('connector' = 'inline');
--! data t
--! +I[1, 2, 1.1, 1.25, 'abc', '2024-01-01 00:00:00.123', '2024-01-02']
--! +I[NULL, 3, NULL, NULL, NULL, NULL, NULL]
INSERT INTO o SELECT ti, i, f, de, c, ts, d FROM t;
INSERT INTO p SELECT ti, i, f, de, c, ts, d FROM t;
