-- named arguments of TUMBLE, and the shape of its result: SELECT *, chosen columns, window_time
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
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(DATA => TABLE e, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(DATA => TABLE e, TIMECOL => DESCRIPTOR(ts), SIZE => INTERVAL '10' SECOND, `OFFSET` => INTERVAL '5' SECOND)) GROUP BY window_start, window_end;
SELECT * FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND));
SELECT window_end, id, window_time FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE v > 5;
SELECT COUNT(*) AS c, window_time FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time;
