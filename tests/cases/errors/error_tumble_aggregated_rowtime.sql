-- a window over MAX(ts) of a group
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:01']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE((SELECT id, MAX(ts) AS x FROM e GROUP BY id), DESCRIPTOR(x), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
