-- AVG of integers truncates toward zero; of DECIMAL rounds half up at its scale; of DOUBLE is exact division; retraction undoes each
CREATE TABLE t (i INT, b BIGINT, d DOUBLE, de DECIMAL(10, 1)) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 1, 1, 1.0]
--! +I[2, 2, 2, 2.0]
--! +I[-6, -6, -6, -6.0]
--! +I[-2, -2, -2, 0.5]
--! -D[2, 2, 2, 2.0]
--! +I[NULL, NULL, NULL, NULL]
--! -D[1, 1, 1, 1.0]
--! -D[-6, -6, -6, -6.0]
--! -D[-2, -2, -2, 0.5]
--! -D[NULL, NULL, NULL, NULL]
SELECT AVG(i) AS i, AVG(b) AS b, AVG(d) AS d, AVG(de) AS de, COUNT(*) AS c FROM t;
