-- the minimum over three inputs, one of which is bounded early by --! end
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '3' SECOND) WITH ('connector' = 'inline');
CREATE TABLE c (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data a
--! +I[1, '2024-01-01 00:00:30']
--! data b
--! +I[2, '2024-01-01 00:00:12']
--! data c
--! +I[3, '2024-01-01 00:00:09']
--! +I[4, '2024-01-01 00:00:11']
--! data b
--! +I[5, '2024-01-01 00:00:13']
--! data c
--! end
--! data b
--! +I[6, '2024-01-01 00:00:24']
--! data a
--! +I[7, '2024-01-01 00:00:21']
--! end
--! data b
--! +I[8, '2024-01-01 00:00:55']
CREATE VIEW u AS SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b UNION ALL SELECT id, ts FROM c;
SELECT window_start, COUNT(*) AS c, SUM(id) AS s FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT id, CURRENT_WATERMARK(ts) AS wm FROM u;
