-- sizes from a millisecond to a month of days
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:00.001']
--! +I[2, '2024-01-01 00:00:00.001']
--! +I[3, '2024-01-01 00:00:00.002']
--! +I[4, '2024-01-31 23:59:59.999']
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '0.001' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' MINUTE)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1 12' DAY TO HOUR)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '30' DAY)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '7' DAYS)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1:30' MINUTE TO SECOND)) GROUP BY window_start, window_end;
