-- open windows held back by one slow watermark: when it jumps they fire in the order of their ends
CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
--! data e
--! +I['a', 1, '2024-01-01 00:00:35']
--! +I['b', 2, '2024-01-01 00:00:05']
--! +I['a', 3, '2024-01-01 00:00:15']
--! +I['a', 4, '2024-01-01 00:00:05']
--! +I['b', 5, '2024-01-01 00:01:15']
--! watermark '2024-01-01 00:01:00'
--! +I['a', 6, '2024-01-01 00:00:45']
--! +I['a', 7, '2024-01-01 00:01:00']
SELECT k, window_start, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
SELECT window_start, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
