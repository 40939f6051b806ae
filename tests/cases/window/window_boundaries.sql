-- rows exactly on a window's border; a watermark of end - 2 ms, end - 1 ms and end
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:00']
--! +I[2, '2024-01-01 00:00:09.999']
--! +I[3, '2024-01-01 00:00:10']
--! watermark '2024-01-01 00:00:09.998'
--! +I[4, '2024-01-01 00:00:09.998']
--! watermark '2024-01-01 00:00:09.999'
--! +I[5, '2024-01-01 00:00:09.999']
--! +I[6, '2024-01-01 00:00:19.999']
--! watermark '2024-01-01 00:00:20'
--! watermark '2024-01-01 00:00:15'
--! +I[7, '2024-01-01 00:00:18']
--! +I[8, '2024-01-01 00:00:20']
SELECT window_start, window_end, window_time, COUNT(*) AS c, SUM(id) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time;
