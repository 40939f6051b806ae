-- an interval join with an empty side
CREATE TABLE o (id INT, ov STRING, ots TIMESTAMP(3), WATERMARK FOR ots AS ots - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
CREATE TABLE s (oid INT, sv INT, sts TIMESTAMP(3), WATERMARK FOR sts AS sts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
--! data o
--! +I[1, 'a', '2024-01-01 00:00:10']
--! +I[1, 'b', '2024-01-01 00:00:40']
--! data s
--! end
SELECT id, ov, sv FROM o JOIN s ON id = oid AND sts BETWEEN ots AND ots + INTERVAL '5' SECOND;
SELECT id, ov, sv FROM o LEFT JOIN s ON id = oid AND sts BETWEEN ots AND ots + INTERVAL '5' SECOND;
