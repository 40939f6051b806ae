-- window plus keys: which part of the result is keyed, the order of GROUP BY and SELECT, NULL keys, expressions over the window columns
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
SELECT k, window_start, window_end, SUM(v) AS s, COUNT(v) AS cv, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
SELECT SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_end, k, window_start;
SELECT DATE_FORMAT(window_start, 'HH:mm:ss') AS w, k, MAX(v) - MIN(v) AS spread FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, k;
SELECT UPPER(k) AS u, window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '20' SECOND)) GROUP BY UPPER(k), window_start, window_end;
SELECT window_start, window_end FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '20' SECOND)) GROUP BY window_start, window_end;
SELECT k, window_start FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '20' SECOND)) GROUP BY k, window_start, window_end;
