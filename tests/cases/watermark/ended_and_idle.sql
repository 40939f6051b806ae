-- one input has ended, the other turns idle and wakes up again: what comes then
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
CREATE VIEW ab AS SELECT * FROM a UNION ALL SELECT * FROM b;
--! data b
--! +I[1, '2024-01-01 00:00:01']
--! end
--! data a
--! +I[2, '2024-01-01 00:00:02']
--! watermark '2024-01-01 00:00:12'
--! +I[3, '2024-01-01 00:00:13']
--! idle
--! +I[4, '2024-01-01 00:00:14']
--! watermark '2024-01-01 00:00:25'
--! +I[5, '2024-01-01 00:00:26']
SELECT window_start, COUNT(*) AS c, SUM(id) AS s FROM TABLE(TUMBLE(TABLE ab, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
