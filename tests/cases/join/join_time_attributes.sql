-- a regular join makes plain timestamps of time attributes
CREATE TABLE a (k INT, ats TIMESTAMP(3), WATERMARK FOR ats AS ats) WITH ('connector' = 'inline');
CREATE TABLE b (k INT, bts TIMESTAMP(3), WATERMARK FOR bts AS bts) WITH ('connector' = 'inline');
--! data a
--! +I[1, '2024-01-01 00:00:01']
--! data b
--! +I[1, '2024-01-01 00:00:02']
--! +I[2, '2024-01-01 00:00:03']
--! data a
--! +I[2, '2024-01-01 00:00:00']
SELECT a.k, ats, bts FROM a JOIN b ON a.k = b.k;
SELECT a.k FROM a JOIN b ON a.k = b.k WHERE ats > TIMESTAMP '2024-01-01 00:00:00';
