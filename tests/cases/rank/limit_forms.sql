-- LIMIT, OFFSET, FETCH, with and without ORDER BY, over rows and over changes
CREATE TABLE t (k STRING, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 5, '2024-01-01 00:00:01']
--! +I['a', 3, 4, '2024-01-01 00:00:02']
--! +I['b', 2, 3, '2024-01-01 00:00:02']
--! +I['a', 2, 9, '2024-01-01 00:00:05']
--! +I[NULL, NULL, 1, '2024-01-01 00:00:06']
--! +I['a', 3, 2, '2024-01-01 00:00:07']
--! +I['a', 3, 2, '2024-01-01 00:00:07']
--! +I[NULL, 7, 1, '2024-01-01 00:00:03']
--! +I['b', NULL, 8, '2024-01-01 00:00:04']
--! +I['b', 0, 8, '2024-01-01 00:00:12']
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
SELECT id, v FROM c LIMIT 2;
SELECT v FROM t LIMIT 2 OFFSET 1;
SELECT k, v + 1 AS v1 FROM t LIMIT 1;
SELECT k, COUNT(*) AS c FROM t GROUP BY k LIMIT 2;
SELECT v FROM t OFFSET 1 ROWS FETCH NEXT 2 ROWS ONLY;
SELECT k, v FROM t ORDER BY w LIMIT 3;
SELECT k, v + 1 AS x FROM t ORDER BY v + w DESC LIMIT 3;
SELECT k AS kk, v FROM t ORDER BY 2 DESC, 1 LIMIT 3;
SELECT v FROM t LIMIT 0;
SELECT id, v FROM c ORDER BY d DESC LIMIT 2;
SELECT k, v FROM t ORDER BY v LIMIT 1;
