-- POWER, SQRT, EXP, LN, LOG, LOG10, LOG2, PI, E, trigonometry, edges of their domains
CREATE TABLE t (d DOUBLE, i INT, de DECIMAL(5, 2)) WITH ('connector' = 'inline');
--! data t
--! +I[2.0, 8, 2.25]
--! +I[0.0, 0, 0.00]
--! +I[-1.0, -1, -4.00]
--! +I[NULL, NULL, NULL]
SELECT POWER(d, 3) AS p, POWER(i, 2) AS pi2, POWER(de, 2) AS pd, SQRT(d) AS s, SQRT(i) AS si, SQRT(de) AS sde FROM t;
SELECT EXP(d) AS e, LN(d) AS l, LOG10(d) AS l10, LOG2(d) AS l2, LOG(d) AS lg, LOG(2, d) AS lb FROM t;
SELECT PI() AS p, E() AS e, SIN(d) AS s, COS(d) AS c, TAN(d) AS t, ASIN(d) AS asn, ATAN(d) AS atn, ATAN2(d, 1) AS a2, DEGREES(d) AS dg, RADIANS(d) AS rd FROM t;
SELECT MOD(i, 3) AS m, i % 3 AS pc, MOD(de, 2) AS md, SIGN(d) AS sg FROM t;
