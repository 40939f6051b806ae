-- ABS, SIGN, CEIL, FLOOR, ROUND, TRUNCATE over INT, DOUBLE and DECIMAL: result types, halves, negative digits
CREATE TABLE t (i INT, d DOUBLE, de DECIMAL(10, 3), b BIGINT) WITH ('connector' = 'inline');
--! data t
--! +I[15, 2.5, 2.500, 155]
--! +I[-15, -2.5, -2.500, -155]
--! +I[0, 0.125, 0.125, 0]
--! +I[7, -0.4, -0.499, 99]
--! +I[NULL, NULL, NULL, NULL]
SELECT ABS(i) AS ai, ABS(d) AS ad, ABS(de) AS ade, SIGN(i) AS si, SIGN(d) AS sd, SIGN(de) AS sde, SIGN(b) AS sb FROM t;
SELECT CEIL(i) AS ci, CEIL(d) AS cd, CEIL(de) AS cde, CEILING(d) AS cg, FLOOR(i) AS fi, FLOOR(d) AS fd, FLOOR(de) AS fde FROM t;
SELECT ROUND(i, -1) AS ri, ROUND(d, 0) AS rd, ROUND(d, 2) AS rd2, ROUND(de, 1) AS rde, ROUND(de, 0) AS rde0, ROUND(de) AS rde1, ROUND(b, -2) AS rb, ROUND(de, -1) AS rdn, ROUND(i) AS r1 FROM t;
SELECT TRUNCATE(d, 0) AS td, TRUNCATE(d, 1) AS td1, TRUNCATE(de, 1) AS tde, TRUNCATE(de, 0) AS tde0, TRUNCATE(i, -1) AS ti, TRUNCATE(de) AS t1, TRUNCATE(b, -2) AS tb FROM t;
SELECT GREATEST(i, 3) AS g, LEAST(i, 3) AS l, GREATEST(i, b) AS gb, GREATEST(d, de) AS gd, LEAST(1, 2.5) AS lm, GREATEST('a', 'b', 'ab') AS gs, GREATEST(i, CAST(NULL AS INT)) AS gn FROM t;
