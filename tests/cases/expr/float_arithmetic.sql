-- FLOAT and DOUBLE: text forms, division by zero, NaN, infinities, -0.0, mixing with integers and decimals
CREATE TABLE t (f FLOAT, d DOUBLE, i INT) WITH ('connector' = 'inline');
--! data t
--! +I[0.1, 0.1, 3]
--! +I[1e10, 1e-7, 0]
--! +I[16777217, 123456789012345678, -1]
--! +I['NaN', 'Infinity', 1]
--! +I[-0.0, -0.0, 2147483647]
--! +I[NULL, NULL, NULL]
SELECT f, d, f + d AS fd, f + f AS ff, d * i AS di, f * i AS fi, f / 3 AS f3, d / 3 AS d3 FROM t;
SELECT d / 0 AS dz, f / CAST(0 AS FLOAT) AS fz, i / CAST(0 AS DOUBLE) AS iz, d * 0 AS z, d - d AS dd FROM t;
SELECT d = d AS eq, d > 1 AS gt, d < 1 AS lt, d <> 0 AS ne, f = 0.1 AS flit, d = 0.1 AS dlit, f = d AS fd, d = f AS df FROM t;
SELECT d + 0.1 AS dd, f + 0.1 AS ff, d + f AS df, d * f AS dmf, f / d AS fdd, 1e0 AS e0, 1.5e3 AS e3, 100000000.0e0 AS big, 0.001e0 AS small, 1e-4 AS sci FROM t;
SELECT CAST(d AS STRING) AS s, CAST(f AS STRING) AS g, CAST(f AS DOUBLE) AS w, CAST(d AS FLOAT) AS n FROM t;
