-- tables end in the order of first mention; a union's last windows fire when the last one has ended, --! end early does not fire them alone
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
CREATE VIEW ab AS SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b;
--! data a
--! +I[1, '2024-01-01 00:00:01']
--! end
--! data b
--! +I[2, '2024-01-01 00:00:02']
--! watermark '2024-01-01 00:00:05'
--! +I[3, '2024-01-01 00:00:08']
--! watermark '2024-01-01 00:00:12'
--! +I[4, '2024-01-01 00:00:21']
SELECT window_start, COUNT(*) AS c, SUM(id) AS s FROM TABLE(TUMBLE(TABLE ab, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT COUNT(*) AS c FROM ab;
