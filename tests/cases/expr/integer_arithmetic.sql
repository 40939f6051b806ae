-- integers: result types by width, truncating division, sign of %, wrapping at every width
CREATE TABLE t (ti TINYINT, si SMALLINT, i INT, b BIGINT) WITH ('connector' = 'inline');
--! data t
--! +I[7, 7, 7, 7]
--! +I[-7, -7, -7, -7]
--! +I[127, 32767, 2147483647, 9223372036854775807]
--! +I[-128, -32768, -2147483648, -9223372036854775808]
--! +I[NULL, NULL, NULL, NULL]
SELECT ti + ti AS a, si + si AS b, i + i AS c, b + b AS d, ti + si AS e, ti + i AS f, si + b AS g FROM t;
SELECT ti - si AS a, i * 2 AS b, b * 2 AS c, ti * ti AS d, i * b AS e FROM t;
SELECT ti / 2 AS a, si / 2 AS b, i / 2 AS c, b / 2 AS d, i / b AS e, ti / ti AS f, 7 / -2 AS g, -7 / 2 AS h FROM t;
SELECT ti % 4 AS a, si % 4 AS b, i % -4 AS c, b % 4 AS d, i % b AS e, MOD(b, CAST(4 AS TINYINT)) AS f, MOD(i, 4) AS g FROM t;
SELECT -ti AS a, -si AS b, -i AS c, -b AS d, +i AS e, ABS(ti) AS f, ABS(i) AS g, ABS(b) AS h FROM t;
SELECT i + 1 AS a, i + CAST(1 AS TINYINT) AS b, i + 1.0 AS c, i + CAST(1 AS DOUBLE) AS d, 2147483647 + 1 AS e, 2147483648 AS f FROM t;
