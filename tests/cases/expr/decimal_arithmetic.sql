-- DECIMAL result types of + - * / %, with integers, with each other and with DOUBLE; rounding half up when digits are cut
CREATE TABLE t (a DECIMAL(10, 2), b DECIMAL(5, 3), c DECIMAL(38, 10), d DECIMAL(20, 0), i INT, l BIGINT, f DOUBLE) WITH ('connector' = 'inline');
--! data t
--! +I[12.34, 1.005, 1234567890.0123456789, 12345678901234567890, 3, 7, 0.5]
--! +I[-0.01, -3.000, -0.0000000001, -1, -2, -1, -0.1]
--! +I[NULL, NULL, NULL, NULL, NULL, NULL, NULL]
SELECT a + b AS ab, a - b AS amb, a + i AS ai, a + l AS al, a + f AS af, c + a AS ca, d + a AS da FROM t;
SELECT a * b AS ab, a * i AS ai, a * l AS al, a * f AS af, c * a AS ca, c * c AS cc, d * d AS dd FROM t;
SELECT a / b AS ab, a / i AS ai, i / a AS ia, a / l AS al, a / f AS af, c / a AS ca, d / c AS dc, a / d AS ad FROM t;
SELECT a % b AS ab, a % i AS ai, i % b AS ib, MOD(a, b) AS m, MOD(l, i) AS li FROM t;
SELECT -a AS n, ABS(b) AS ab, a + 1.5 AS lit, a * 0.001 AS tiny, 10 / 4.0 AS q, 1.10 + 2.205 AS lits FROM t;
SELECT a > b AS gt, a = 12.34 AS eq, d > 1.5 AS dg, a = i AS ai, CAST(a AS DOUBLE) = 12.34 AS dbl FROM t;
