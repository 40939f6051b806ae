-- OVER by time of a table that changes
CREATE TABLE c (id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data c
--! +I[1, 'a', 1, '2024-01-01 00:00:01']
SELECT id, SUM(v) OVER (PARTITION BY k ORDER BY ts) AS s FROM c;
