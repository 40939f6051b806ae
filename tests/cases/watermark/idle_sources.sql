-- idle inputs: one that turns idle stops holding the union back; when it wakes behind the others' watermark its rows are late but the watermark never goes back
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
CREATE VIEW ab AS SELECT * FROM a UNION ALL SELECT * FROM b;
--! data a
--! +I[1, '2024-01-01 00:00:01']
--! watermark '2024-01-01 00:00:25'
--! data b
--! idle
--! data a
--! +I[2, '2024-01-01 00:00:26']
--! data b
--! +I[10, '2024-01-01 00:00:05']
--! +I[11, '2024-01-01 00:00:27']
--! watermark '2024-01-01 00:00:12'
--! data a
--! watermark '2024-01-01 00:00:40'
--! data b
--! +I[12, '2024-01-01 00:00:15']
--! idle
--! data a
--! idle
--! data b
--! +I[13, '2024-01-01 00:00:45']
--! watermark '2024-01-01 00:00:50'
SELECT window_start, COUNT(*) AS c, SUM(id) AS s FROM TABLE(TUMBLE(TABLE ab, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
