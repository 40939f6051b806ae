-- SUM wraps at the width of its argument, AVG does not for narrow integers; a DECIMAL sum beyond 38 digits is NULL and starts again with the next value
CREATE TABLE t (ti TINYINT, si SMALLINT, i INT, b BIGINT, de DECIMAL(38, 2), f FLOAT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[127, 32767, 2147483647, 9223372036854775807, 999999999999999999999999999999999999.99, 3e38]
--! +I[127, 32767, 2147483647, 9223372036854775807, 0.01, 3e38]
--! +I[1, 1, 1, 1, 1.00, 1]
--! -D[127, 32767, 2147483647, 9223372036854775807, 0.01, 3e38]
--! -D[127, 32767, 2147483647, 9223372036854775807, 999999999999999999999999999999999999.99, 3e38]
SELECT SUM(ti) AS ti, SUM(si) AS si, SUM(i) AS i, SUM(b) AS b, SUM(f) AS f FROM t;
SELECT AVG(ti) AS ti, AVG(si) AS si, AVG(i) AS i, AVG(b) AS b, AVG(f) AS f FROM t;
SELECT SUM(de) AS s, AVG(de) AS a, COUNT(*) AS c FROM t;
