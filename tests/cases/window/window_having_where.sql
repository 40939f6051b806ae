-- HAVING, WHERE before the window, WHERE after the aggregate; windows that a filter empties do not fire
CREATE TABLE e (
  id INT, k STRING, v INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'inline');
--! data e
--! +I[1, 'a', 10, '2024-01-01 00:00:01']
--! +I[2, 'b', 20, '2024-01-01 00:00:03']
--! +I[3, 'a', 5, '2024-01-01 00:00:12']
--! +I[4, 'a', NULL, '2024-01-01 00:00:09']
--! +I[5, 'b', 1, '2024-01-01 00:00:16']
--! +I[6, NULL, 9, '2024-01-01 00:00:26']
--! +I[7, 'a', 2, '2024-01-01 00:00:31']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end HAVING COUNT(*) > 1;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE v > 5 GROUP BY window_start, window_end;
SELECT ws, s FROM (SELECT window_start AS ws, k, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k) WHERE k = 'a';
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE((SELECT * FROM e WHERE k = 'a'), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end HAVING window_start >= TIMESTAMP '2024-01-01 00:00:10';
