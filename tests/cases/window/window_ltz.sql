-- TIMESTAMP_LTZ as rowtime: windows align in the session's time zone; window_start is a plain TIMESTAMP, window_time a TIMESTAMP_LTZ
SET 'table.local-time-zone' = 'Asia/Shanghai';
CREATE TABLE e (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts - INTERVAL '1' MINUTE) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 23:30:00']
--! +I[2, '2024-01-02 00:30:00']
--! +I[3, '2024-01-02 07:59:59']
--! +I[4, '2024-01-02 08:00:00']
--! +I[5, '2024-01-03 00:02:00']
SELECT window_start, window_end, window_time, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end, window_time;
SELECT id, ts, window_start, window_end, window_time FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR));
