-- column types of UNION ALL: the common type, names of the first branch, nullability, CHAR lengths, NULL literals
CREATE TABLE a (i INT NOT NULL, d DECIMAL(10, 2), c CHAR(2), t TINYINT, f FLOAT, ts TIMESTAMP(0)) WITH ('connector' = 'inline');
CREATE TABLE b (j INT, e DECIMAL(5, 4), v VARCHAR(5), u BIGINT, g DOUBLE, tt TIMESTAMP(6)) WITH ('connector' = 'inline');
--! data a
--! +I[1, 1.25, 'xy', 1, 1.1, '2024-01-01 00:00:00']
--! data b
--! +I[NULL, 1.2345, 'xyz', 2, 1.1, '2024-01-01 00:00:00.123456']
SELECT * FROM a UNION ALL SELECT * FROM b;
SELECT i FROM a UNION ALL SELECT u FROM b;
SELECT i FROM a UNION ALL SELECT e FROM b;
SELECT i FROM a UNION ALL SELECT g FROM b;
SELECT 'ab' AS x FROM a UNION ALL SELECT 'abcd' FROM b;
SELECT i, CAST(NULL AS STRING) AS s FROM a UNION ALL SELECT j, v FROM b;
SELECT f FROM a UNION ALL SELECT e FROM b;
