-- OVER by a column of a table that changes
CREATE TABLE c (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data c
--! +I[1, 'a', 1, '2024-01-01 00:00:01']
--! +I[2, 'a', 3, '2024-01-01 00:00:02']
--! +I[3, 'b', 3, '2024-01-01 00:00:03']
--! -U[1, 'a', 1, '2024-01-01 00:00:01']
--! +U[1, 'a', 5, '2024-01-01 00:00:04']
--! -D[3, 'b', 3, '2024-01-01 00:00:03']
--! +I[4, NULL, 7, '2024-01-01 00:00:12']
--! +I[5, 'a', 2, '2024-01-01 00:00:14']
--! -D[5, 'a', 2, '2024-01-01 00:00:14']
--! -D[2, 'a', 3, '2024-01-01 00:00:02']
--! +I[6, 'b', 1, '2024-01-01 00:00:33']
SELECT id, k, v, SUM(v) OVER (PARTITION BY k ORDER BY v) AS s FROM c;
SELECT id, k, v, COUNT(*) OVER (PARTITION BY k ORDER BY v ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n FROM c;
SELECT id, k, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS n FROM c;
