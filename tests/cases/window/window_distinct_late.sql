-- COUNT(DISTINCT) per key and window, late rows do not touch closed windows, and each window starts anew
CREATE TABLE e (k STRING, u STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
--! data e
--! +I['a', 'u1', '2024-01-01 00:00:01']
--! +I['a', 'u1', '2024-01-01 00:00:02']
--! +I['a', NULL, '2024-01-01 00:00:03']
--! +I['b', 'u2', '2024-01-01 00:00:04']
--! +I['a', 'u1', '2024-01-01 00:00:10']
--! +I['a', 'u9', '2024-01-01 00:00:08.500']
--! +I['a', 'u2', '2024-01-01 00:00:12']
--! +I['a', 'u8', '2024-01-01 00:00:05']
SELECT k, window_start, COUNT(DISTINCT u) AS d, COUNT(u) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
SELECT window_start, COUNT(DISTINCT u) AS d FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
