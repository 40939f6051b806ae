-- COUNT of *, a constant, a column, a NOT NULL column, an expression, DISTINCT and FILTER, under retraction
CREATE TABLE t (n INT NOT NULL, v INT, b BOOLEAN) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 1, TRUE]
--! +I[1, NULL, FALSE]
--! +I[2, 1, NULL]
--! -D[1, 1, TRUE]
--! -U[1, NULL, FALSE]
--! +U[1, 7, NULL]
--! -D[2, 1, NULL]
SELECT COUNT(*) AS a, COUNT(0) AS b, COUNT(n) AS c, COUNT(v) AS d, COUNT(b) AS e, COUNT(DISTINCT n) AS f, COUNT(DISTINCT b) AS g FROM t;
SELECT COUNT(*) FILTER (WHERE b) AS a, COUNT(*) FILTER (WHERE NOT b) AS c, COUNT(*) FILTER (WHERE b IS NULL) AS d, COUNT(DISTINCT n) FILTER (WHERE v > 0) AS e FROM t;
SELECT COUNT(v + 1) AS a, COUNT(NULLIF(v, 1)) AS c, COUNT(CASE WHEN v > 1 THEN 1 END) AS d FROM t;
