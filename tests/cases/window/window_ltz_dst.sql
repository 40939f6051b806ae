-- TIMESTAMP_LTZ windows over a change of the clocks in Berlin: a day of 23 and one of 25 hours, hours that are skipped and repeated
SET 'table.local-time-zone' = 'Europe/Berlin';
CREATE TABLE e (id INT, ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-03-30T23:30:00Z']
--! +I[2, '2024-03-31T00:30:00Z']
--! +I[3, '2024-03-31T01:30:00Z']
--! +I[4, '2024-03-31T21:59:59Z']
--! +I[5, '2024-03-31T22:00:00Z']
--! +I[6, '2024-10-26T22:00:00Z']
--! +I[7, '2024-10-27T00:30:00Z']
--! +I[8, '2024-10-27T01:30:00Z']
--! +I[9, '2024-10-27T22:59:59Z']
--! +I[10, '2024-10-27T23:00:00Z']
SELECT window_start, window_end, COUNT(*) AS c, MIN(id) AS mi, MAX(id) AS ma FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end;
SELECT window_start, window_end, COUNT(*) AS c, MIN(id) AS mi, MAX(id) AS ma FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '1' HOUR)) GROUP BY window_start, window_end;
SELECT id, ts, CAST(ts AS STRING) AS s FROM e;
