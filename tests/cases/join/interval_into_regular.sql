-- only one bound makes no interval join: time attributes are plain timestamps
CREATE TABLE o (id INT, ov STRING, ots TIMESTAMP(3), WATERMARK FOR ots AS ots - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
CREATE TABLE s (oid INT, sv INT, sts TIMESTAMP(3), WATERMARK FOR sts AS sts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
--! data o
--! +I[1, 'a', '2024-01-01 00:00:10']
--! +I[1, 'b', '2024-01-01 00:00:10']
--! +I[NULL, 'n', '2024-01-01 00:00:11']
--! data s
--! +I[1, 5, '2024-01-01 00:00:12']
--! +I[1, 1, '2024-01-01 00:00:12']
--! +I[NULL, 9, '2024-01-01 00:00:12']
--! +I[2, 7, '2024-01-01 00:00:16']
--! data o
--! +I[2, 'c', '2024-01-01 00:00:14']
--! +I[1, 'd', '2024-01-01 00:00:15']
--! data s
--! +I[1, 4, '2024-01-01 00:00:15.001']
--! +I[3, 3, '2024-01-01 00:00:30']
--! data o
--! +I[1, 'e', '2024-01-01 00:00:30']
--! +I[2, 'late', '2024-01-01 00:00:12']
--! +I[3, 'f', '2024-01-01 00:00:28']
--! data s
--! +I[1, 2, '2024-01-01 00:00:11']
--! +I[1, 8, '2024-01-01 00:00:50']
--! data o
--! +I[9, 'g', '2024-01-01 00:01:00']
SELECT id, ov, sv FROM o JOIN s ON id = oid AND sts >= ots;
SELECT id, ots, sts FROM o JOIN s ON id = oid;
