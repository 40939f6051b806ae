-- ORDER BY an unknown name
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
SELECT v FROM t ORDER BY nothing LIMIT 1;
