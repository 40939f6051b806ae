-- Windows of two sorts that are equal are joined like anything else: both start and end have to be.
CREATE TABLE a (k INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[0, 1, '2024-01-01 00:10:00.000']
--! +I[0, 2, '2024-01-01 00:10:01.500']
--! +I[1, 3, '2024-01-01 00:10:06.000']
--! +I[1, 4, '2024-01-01 00:10:16.000']
--! +I[1, 5, '2024-01-01 00:10:36.000']
SELECT x.window_start, x.window_end, x.c, y.window_start AS s, y.window_end AS e, y.c AS d
FROM (SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end) AS x
JOIN (SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(HOP(TABLE a, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '6' SECOND)) GROUP BY window_start, window_end) AS y
ON x.window_start = y.window_start AND x.window_end = y.window_end;
SELECT x.window_start, x.window_end, x.c, y.window_start AS s, y.c AS d
FROM (SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE a, DESCRIPTOR(ts), INTERVAL '6' SECOND)) GROUP BY window_start, window_end) AS x
LEFT JOIN (SELECT window_start, window_end, SUM(v) AS c FROM TABLE(HOP(TABLE a, DESCRIPTOR(ts), INTERVAL '2' SECOND, INTERVAL '6' SECOND)) GROUP BY window_start, window_end) AS y
ON x.window_start = y.window_start AND x.window_end = y.window_end;
