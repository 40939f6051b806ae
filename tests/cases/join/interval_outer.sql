-- outer interval joins with a condition beside: late rows, rows that wait for their timer
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
SELECT id, ov, sv FROM o LEFT JOIN s ON id = oid AND sts BETWEEN ots AND ots + INTERVAL '5' SECOND AND sv > 3;
SELECT id, ov, oid, sv FROM o RIGHT JOIN s ON id = oid AND sts BETWEEN ots - INTERVAL '2' SECOND AND ots + INTERVAL '2' SECOND;
SELECT id, ov, oid, sv FROM o FULL JOIN s ON id = oid AND ots BETWEEN sts - INTERVAL '4' SECOND AND sts - INTERVAL '1' SECOND AND CHAR_LENGTH(ov) < sv;
