-- one watermark that closes many windows: they fire from the earliest to the latest, all in that row's step; the end of input fires the rest
CREATE TABLE e (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I['c', '2024-01-01 00:00:05']
--! +I['a', '2024-01-01 00:00:05']
--! +I['b', '2024-01-01 00:00:05']
--! +I['a', '2024-01-01 00:00:35']
--! +I['a', '2024-01-01 00:00:34']
--! +I['a', '2024-01-01 00:00:50']
--! +I['a', '2024-01-01 00:00:45']
--! +I['b', '2024-01-01 00:00:55']
SELECT k, window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
