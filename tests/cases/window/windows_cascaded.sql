-- windows over windows: HOP over TUMBLE, TUMBLE over HOP, the same window again
CREATE TABLE t (k STRING, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 5, '2024-01-01 00:00:01']
--! +I['a', 3, 4, '2024-01-01 00:00:02']
--! +I['b', 2, 3, '2024-01-01 00:00:02']
--! +I['a', 2, 9, '2024-01-01 00:00:05']
--! +I[NULL, NULL, 1, '2024-01-01 00:00:06']
--! +I['a', 3, 2, '2024-01-01 00:00:13']
--! +I['a', 3, 2, '2024-01-01 00:00:13']
--! +I['a', 10, 2, '2024-01-01 00:00:03']
--! +I['a', NULL, 2, '2024-01-01 00:00:09']
--! +I[NULL, 7, 1, '2024-01-01 00:00:18']
--! +I['b', NULL, 8, '2024-01-01 00:00:19']
--! +I['b', 0, 8, '2024-01-01 00:00:32']
--! +I['a', 4, 1, '2024-01-01 00:00:40']
--! +I['b', 5, 1, '2024-01-01 00:00:31']
CREATE VIEW t5 AS SELECT k, window_start AS ws, window_end AS we, window_time AS rt, SUM(v) AS s FROM TABLE(TUMBLE(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY k, window_start, window_end, window_time;
CREATE VIEW h5 AS SELECT k, window_start, window_end, window_time AS rt, SUM(v) AS s FROM TABLE(HOP(TABLE t, DESCRIPTOR(ts), INTERVAL '5' SECOND, INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end, window_time;
SELECT window_start, window_end, SUM(s) AS s FROM TABLE(HOP(TABLE t5, DESCRIPTOR(rt), INTERVAL '5' SECOND, INTERVAL '15' SECOND)) GROUP BY window_start, window_end;
SELECT ws, we, SUM(s) AS s FROM t5 GROUP BY ws, we;
SELECT window_start, window_end, SUM(s) AS s FROM h5 GROUP BY window_start, window_end;
SELECT window_start, window_end, SUM(s) AS s, COUNT(*) AS c FROM TABLE(SESSION(TABLE t5 PARTITION BY k, DESCRIPTOR(rt), INTERVAL '6' SECOND)) GROUP BY k, window_start, window_end;
