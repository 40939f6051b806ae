-- a window over ts + INTERVAL: marked as a rowtime in results, but no time attribute any more
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:01']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE((SELECT id, ts + INTERVAL '1' HOUR AS x FROM e), DESCRIPTOR(x), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
