-- where strings and other types meet without a cast: comparisons with dates and times, IN and BETWEEN with numbers
CREATE TABLE t (i INT, s STRING, dt DATE, ts TIMESTAMP(3), tm TIME(0), l TIMESTAMP_LTZ(3), bo BOOLEAN, de DECIMAL(10, 2), d DOUBLE) WITH ('connector' = 'inline');
--! data t
--! +I[1, '1', '2024-01-01', '2024-01-01 00:00:00', '10:00:00', '2024-01-01 00:00:00', TRUE, 1.00, 1.0]
--! +I[2, '12', '2024-02-01', '2024-02-01 00:00:00', '11:00:00', '2024-02-01 00:00:00', FALSE, 1.50, 1.5]
--! +I[NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL]
SELECT dt = '2024-01-01' AS a, dt > '2024-01-15' AS b, ts > '2024-01-15 00:00:00' AS c, tm = '10:00:00' AS d, l < '2024-01-15 00:00:00' AS e, l = ts AS f FROM t;
SELECT s > 0 AS a, s < 2 AS b, s IN (1, 2) AS c, i IN ('1', '3') AS d, i BETWEEN '0' AND '1' AS e FROM t;
SELECT i = de AS a, i = d AS b, de = d AS c, i < 1.5 AS e, de IN (1, 2) AS f, d BETWEEN 1 AND 1.2 AS g FROM t;
