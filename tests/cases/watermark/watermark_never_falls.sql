-- rows out of order: the watermark is the largest so far; far-future and equal rows; filtered rows still move it
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:05']
--! +I[2, '2024-01-01 00:00:03']
--! +I[3, '2024-01-01 00:00:12']
--! +I[4, '2024-01-01 00:00:09']
--! +I[5, '2024-01-01 00:00:12']
--! +I[6, '9999-12-31 23:59:59.999']
--! +I[7, '2024-01-01 00:00:13']
SELECT id, CURRENT_WATERMARK(ts) AS wm FROM e;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE id IN (1, 2, 7) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE((SELECT * FROM e WHERE id <> 3), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
