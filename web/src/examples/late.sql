-- Late rows: the watermark stays 5 seconds behind the newest reading; a row for a window that it has closed is dropped and counted.
CREATE TABLE readings (
  sensor  STRING,
  degrees INT,
  ts      TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'inline', 'watermark.push-down' = 'true', 'scan.watermark.emit.strategy' = 'on-event');

--! data readings
--! +I['attic', 21, '2024-01-01 12:00:01']
--! +I['cellar', 12, '2024-01-01 12:00:03']
--! +I['attic', 22, '2024-01-01 12:00:08']
--! +I['cellar', 13, '2024-01-01 12:00:12']
--! +I['attic', 20, '2024-01-01 12:00:09']
--! +I['attic', 23, '2024-01-01 12:00:16']
--! +I['cellar', 11, '2024-01-01 12:00:04']
--! +I['cellar', 14, '2024-01-01 12:00:21']

-- 12:00:09 comes out of order and counts; 12:00:04 comes after the watermark has passed 12:00:10 and does not.
-- Send more, or advance the watermark by hand to close the windows that are open.
SELECT DATE_FORMAT(window_end, 'HH:mm:ss') AS until, sensor, COUNT(*) AS cnt, MAX(degrees) AS highest
FROM TABLE(TUMBLE(TABLE readings, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, sensor;
