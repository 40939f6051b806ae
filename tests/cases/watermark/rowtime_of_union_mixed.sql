-- UNION ALL of a rowtime with a plain timestamp keeps the mark of a time attribute
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data a
--! +I[1, '2024-01-01 00:00:01']
--! data b
--! +I[2, '2024-01-01 00:00:02']
SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b;
SELECT ts, COUNT(*) AS c FROM (SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b) GROUP BY ts;
