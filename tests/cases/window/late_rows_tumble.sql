-- what is late: a watermark w says "no row with ts <= w comes any more"; a window [s, e) fires when w >= e - 1 ms
CREATE TABLE e (
  id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'inline');

--! data e
--! +I[1, '2024-01-01 00:00:05']
--! +I[2, '2024-01-01 00:00:10.998']
--! +I[3, '2024-01-01 00:00:09.500']
--! +I[4, '2024-01-01 00:00:10.999']
--! +I[5, '2024-01-01 00:00:09.999']
--! +I[6, '2024-01-01 00:00:12']
--! +I[7, '2024-01-01 00:00:10.001']
--! +I[8, '2024-01-01 00:00:25']
--! +I[9, '2024-01-01 00:00:14']
--! +I[10, '2024-01-01 00:00:19']

SELECT window_start, window_end, COUNT(*) AS c, MIN(id) AS mi, MAX(id) AS ma
FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end;

-- a window function without an aggregate, an unbounded aggregate and a projection drop nothing
SELECT id, window_start FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND));
SELECT COUNT(*) AS c FROM e;
