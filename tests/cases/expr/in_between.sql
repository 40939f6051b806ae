-- IN, NOT IN and BETWEEN with NULLs on either side, mixed types, SYMMETRIC, long lists
CREATE TABLE t (i INT, s STRING, d DECIMAL(4, 1)) WITH ('connector' = 'inline');
--! data t
--! +I[1, 'a', 1.0]
--! +I[5, 'b', 5.5]
--! +I[NULL, NULL, NULL]
--! +I[9, 'c ', 9.9]
SELECT i IN (1, 2, 3) AS a, i NOT IN (1, 2) AS b, i IN (1, NULL) AS c, i NOT IN (1, NULL) AS d, s IN ('a', 'c') AS e, d IN (1, 5.5) AS f FROM t;
SELECT i BETWEEN 1 AND 5 AS a, i NOT BETWEEN 1 AND 5 AS b, i BETWEEN 5 AND 1 AS c, i BETWEEN SYMMETRIC 5 AND 1 AS d, i BETWEEN NULL AND 5 AS e, s BETWEEN 'a' AND 'b' AS f, d BETWEEN 1 AND 5 AS g FROM t;
SELECT i FROM t WHERE i NOT IN (5);
SELECT i FROM t WHERE i NOT IN (5, NULL);
SELECT i FROM t WHERE i IN (1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25);
SELECT i FROM t WHERE s IN ('a', 'bbb', 'c') OR i IN (2 + 3, 4);
