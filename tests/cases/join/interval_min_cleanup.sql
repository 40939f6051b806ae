-- outer rows that met none wait longer where the setting says so, but what comes by clears them
SET 'table.exec.interval-join.min-cleanup-interval' = '3 s';
CREATE TABLE o (id INT, ov STRING, ots TIMESTAMP(3), WATERMARK FOR ots AS ots) WITH ('connector' = 'inline');
CREATE TABLE s (oid INT, sv INT, sts TIMESTAMP(3), WATERMARK FOR sts AS sts) WITH ('connector' = 'inline');
--! data o
--! +I[1, 'a', '2024-01-01 00:00:10']
--! +I[2, 'b', '2024-01-01 00:00:10']
--! data s
--! +I[3, 5, '2024-01-01 00:00:12.001']
--! data o
--! +I[3, 'c', '2024-01-01 00:00:12.001']
--! +I[3, 'd', '2024-01-01 00:00:14']
--! data s
--! +I[2, 1, '2024-01-01 00:00:14']
--! +I[4, 1, '2024-01-01 00:00:15.001']
--! data o
--! +I[4, 'e', '2024-01-01 00:00:15.001']
--! +I[5, 'f', '2024-01-01 00:00:20']
SELECT id, ov, sv FROM o LEFT JOIN s ON id = oid AND sts BETWEEN ots AND ots + INTERVAL '2' SECOND;
SELECT id, ov, oid, sv FROM o FULL JOIN s ON id = oid AND sts BETWEEN ots - INTERVAL '1' SECOND AND ots + INTERVAL '2' SECOND;
