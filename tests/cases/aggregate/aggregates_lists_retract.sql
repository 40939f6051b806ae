-- FIRST_VALUE, LAST_VALUE, LISTAGG, ARRAY_AGG over a table that changes
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
SELECT k, FIRST_VALUE(v) AS f, LAST_VALUE(v) AS l FROM c GROUP BY k;
SELECT LISTAGG(k) AS a, LISTAGG(CAST(v AS STRING), '-') AS b FROM c;
SELECT k, ARRAY_AGG(v) AS a FROM c GROUP BY k;
