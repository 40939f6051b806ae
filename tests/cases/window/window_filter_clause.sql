-- FILTER in a window: a window whose rows all fail the FILTER still fires, with 0 and NULL
CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I['a', 1, '2024-01-01 00:00:01']
--! +I['a', 20, '2024-01-01 00:00:02']
--! +I['b', 3, '2024-01-01 00:00:11']
--! +I['b', NULL, '2024-01-01 00:00:12']
--! +I['a', 40, '2024-01-01 00:00:25']
SELECT window_start, COUNT(*) FILTER (WHERE v > 10) AS c, SUM(v) FILTER (WHERE v > 10) AS s, MAX(v) FILTER (WHERE k = 'a') AS m, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT k, window_start, SUM(v) FILTER (WHERE v > 10) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end HAVING SUM(v) FILTER (WHERE v > 10) IS NOT NULL;
