-- aggregates over a window's result: over the same window still final, over other columns updating; a second TUMBLE of the same and of a larger size
CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I['a', 1, '2024-01-01 00:00:01']
--! +I['b', 2, '2024-01-01 00:00:02']
--! +I['a', 3, '2024-01-01 00:00:06']
--! +I['a', 4, '2024-01-01 00:00:11']
--! +I['b', 5, '2024-01-01 00:00:21']
CREATE VIEW w AS SELECT k, window_start, window_end, window_time AS wt, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY k, window_start, window_end, window_time;
SELECT window_start, window_end, COUNT(*) AS keys, MAX(s) AS m FROM w GROUP BY window_start, window_end;
SELECT k, SUM(s) AS total, COUNT(*) AS windows FROM w GROUP BY k;
SELECT k, window_start, window_end, SUM(s) AS s FROM TABLE(TUMBLE((SELECT k, s, wt FROM w), DESCRIPTOR(wt), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
