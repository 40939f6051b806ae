-- TRUNCATE and ROUND of a DECIMAL without digits have scale 0 (42, where the documentation shows 42.0); of a DOUBLE they keep the type
SELECT TRUNCATE(42.324) AS a, TRUNCATE(42.324, 2) AS b, TRUNCATE(42.324e0) AS c, ROUND(42.624) AS d, ROUND(42.625, 2) AS e, ROUND(42.625e0, 2) AS f, TRUNCATE(42.324, -1) AS g, ROUND(45, -1) AS h, ROUND(-45, -1) AS i, ROUND(2.5e0) AS j, ROUND(-2.5e0) AS k;
