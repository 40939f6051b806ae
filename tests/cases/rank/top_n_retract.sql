-- Top-N over a changelog: rows that leave, come back, are there twice; of another partition after an update
CREATE TABLE c (id INT, k STRING, v INT, d DOUBLE, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data c
--! +I[1, 'a', 1, 0.5, '2024-01-01 00:00:01']
--! +I[2, 'a', 3, 1.5, '2024-01-01 00:00:02']
--! +I[3, 'a', 3, 1.5, '2024-01-01 00:00:02']
--! -U[1, 'a', 1, 0.5, '2024-01-01 00:00:01']
--! +U[1, 'a', 5, -0.5, '2024-01-01 00:00:03']
--! +I[4, NULL, NULL, NULL, '2024-01-01 00:00:03']
--! -D[2, 'a', 3, 1.5, '2024-01-01 00:00:02']
--! +I[5, NULL, 4, NULL, '2024-01-01 00:00:04']
--! +I[5, NULL, 4, NULL, '2024-01-01 00:00:04']
--! -D[5, NULL, 4, NULL, '2024-01-01 00:00:04']
--! -U[1, 'a', 5, -0.5, '2024-01-01 00:00:03']
--! +U[1, 'b', 5, -0.5, '2024-01-01 00:00:03']
--! -D[3, 'a', 3, 1.5, '2024-01-01 00:00:02']
--! -D[4, NULL, NULL, NULL, '2024-01-01 00:00:03']
--! -D[5, NULL, 4, NULL, '2024-01-01 00:00:04']
SELECT id, k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM c) WHERE rn <= 2;
SELECT id, k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS rn FROM c) WHERE rn <= 2;
SELECT id, k, d, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY d) AS rn FROM c) WHERE rn <= 1;
SELECT id, k, d FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY d) AS rn FROM c) WHERE rn <= 1;
SELECT id, v, rn FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY v) AS rn FROM c) WHERE rn BETWEEN 2 AND 3;
