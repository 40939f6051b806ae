-- casts between numbers: wrapping, truncation, saturation of floats, rounding of decimals, booleans; TRY_CAST changes nothing there
CREATE TABLE t (b BIGINT, d DOUBLE, de DECIMAL(20, 5), bo BOOLEAN) WITH ('connector' = 'inline');
--! data t
--! +I[300, 1.9, 1.95000, TRUE]
--! +I[-129, -1.9, -1.95001, FALSE]
--! +I[9999999999, 1e20, 12345678901.50000, NULL]
--! +I[2147483648, 'NaN', 0.00001, NULL]
--! +I[0, '-Infinity', NULL, NULL]
SELECT CAST(b AS TINYINT) AS a, CAST(b AS SMALLINT) AS b, CAST(b AS INT) AS c, CAST(b AS DOUBLE) AS d, CAST(b AS FLOAT) AS e, CAST(b AS DECIMAL(5, 1)) AS f, CAST(b AS BOOLEAN) AS g FROM t;
SELECT CAST(d AS TINYINT) AS a, CAST(d AS SMALLINT) AS b, CAST(d AS INT) AS c, CAST(d AS BIGINT) AS d, CAST(d AS FLOAT) AS e, CAST(d AS BOOLEAN) AS g FROM t;
SELECT CAST(de AS TINYINT) AS a, CAST(de AS INT) AS b, CAST(de AS BIGINT) AS c, CAST(de AS DOUBLE) AS d, CAST(de AS DECIMAL(20, 1)) AS e, CAST(de AS DECIMAL(6, 3)) AS f, CAST(de AS BOOLEAN) AS g FROM t;
SELECT CAST(bo AS INT) AS a, CAST(bo AS DOUBLE) AS b, CAST(bo AS DECIMAL(3, 1)) AS c, CAST(bo AS TINYINT) AS d, TRY_CAST(b AS TINYINT) AS e, TRY_CAST(de AS DECIMAL(6, 3)) AS f FROM t;
