-- TUMBLE takes TABLE name or a query in brackets, not TABLE with a query
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:00']
SELECT * FROM TABLE(TUMBLE(TABLE (SELECT id, ts FROM e), DESCRIPTOR(ts), INTERVAL '10' SECOND));
