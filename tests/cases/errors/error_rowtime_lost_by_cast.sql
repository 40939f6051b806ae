-- a window over a rowtime that a CAST made a plain timestamp
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE VIEW v AS SELECT id, CAST(ts AS TIMESTAMP(3)) AS t FROM e;
--! data e
--! +I[1, '2024-01-01 00:00:00']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE v, DESCRIPTOR(t), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
