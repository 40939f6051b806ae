-- result types of SUM, AVG, MIN, MAX and COUNT over every numeric type
CREATE TABLE t (ti TINYINT, si SMALLINT, i INT, b BIGINT, f FLOAT, d DOUBLE, de DECIMAL(10, 2), nn INT NOT NULL) WITH ('connector' = 'inline');
--! data t
--! +I[1, 1, 1, 1, 1.5, 1.5, 1.50, 1]
--! +I[2, 2, 2, 2, 0.1, 0.1, 0.25, 2]
--! +I[NULL, NULL, NULL, NULL, NULL, NULL, NULL, 2]
--! +I[-6, -6, -6, -6, -2.5, -2.5, -9.99, -6]
SELECT SUM(ti) AS ti, SUM(si) AS si, SUM(i) AS i, SUM(b) AS b, SUM(f) AS f, SUM(d) AS d, SUM(de) AS de, SUM(nn) AS nn FROM t;
SELECT AVG(ti) AS ti, AVG(si) AS si, AVG(i) AS i, AVG(b) AS b, AVG(f) AS f, AVG(d) AS d, AVG(de) AS de, AVG(nn) AS nn FROM t;
SELECT MIN(ti) AS ti, MIN(si) AS si, MIN(i) AS i, MIN(b) AS b, MIN(f) AS f, MIN(d) AS d, MIN(de) AS de, MIN(nn) AS nn FROM t;
SELECT MAX(ti) AS ti, MAX(si) AS si, MAX(i) AS i, MAX(b) AS b, MAX(f) AS f, MAX(d) AS d, MAX(de) AS de, MAX(nn) AS nn FROM t;
SELECT COUNT(ti) AS ti, COUNT(nn) AS nn, COUNT(*) AS st, COUNT(1) AS uno, COUNT(DISTINCT nn) AS dn FROM t;
-- grouped: a NOT NULL argument gives a NOT NULL result
SELECT nn, SUM(nn) AS s, AVG(nn) AS a, MIN(nn) AS mi, SUM(ti) AS sti, COUNT(ti) AS c FROM t GROUP BY nn;
