-- DECIMAL results that do not fit are NULL: products, sums, casts
CREATE TABLE t (a DECIMAL(38, 0), b DECIMAL(38, 18), c DECIMAL(4, 2), s STRING) WITH ('connector' = 'inline');
--! data t
--! +I[99999999999999999999999999999999999999, 99999999999999999999.999999999999999999, 99.99, '12345.678']
--! +I[1, 1.000000000000000001, 0.01, '1.005']
SELECT a + a AS s, a * 10 AS m, a - 1 AS d, a / 10 AS q, -a AS n FROM t;
SELECT b * b AS m, b + b AS s, b / 3 AS q, b * 100 AS h FROM t;
SELECT CAST(c * 100 AS DECIMAL(4, 2)) AS x, CAST(c AS DECIMAL(3, 2)) AS y, CAST(c AS DECIMAL(3, 1)) AS z, CAST(c AS DECIMAL(2, 0)) AS w, c * c AS cc, CAST(c AS TINYINT) AS t FROM t;
SELECT TRY_CAST(s AS DECIMAL(6, 2)) AS e, CAST(s AS DECIMAL(10, 1)) AS f FROM t;
