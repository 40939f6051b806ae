-- DISTINCT and FILTER inside a TUMBLE window, and HAVING on a window aggregate
CREATE TABLE orders (
  id INT, item STRING, amount INT, ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND
) WITH ('connector' = 'inline', 'changelog-mode' = 'I');

--! data orders
--! +I[1, 'a', 10, '2024-01-01 00:00:01']
--! +I[2, 'b', 20, '2024-01-01 00:00:03']
--! +I[3, 'a', 5, '2024-01-01 00:00:12']
--! +I[4, 'a', 7, '2024-01-01 00:00:09']
--! +I[5, 'b', 1, '2024-01-01 00:00:16']
--! +I[6, 'c', 9, '2024-01-01 00:00:26']
--! +I[7, 'a', 2, '2024-01-01 00:00:31']

SELECT window_start, COUNT(DISTINCT item) AS d, COUNT(*) AS c, COUNT(*) FILTER (WHERE amount > 6) AS big,
  MIN(item) AS mi, MAX(amount) AS ma, AVG(amount) AS av
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end;
-- HAVING on a window aggregate
SELECT window_start, item, SUM(amount) AS s
FROM TABLE(TUMBLE(TABLE orders, DESCRIPTOR(ts), INTERVAL '10' SECOND))
GROUP BY window_start, window_end, item HAVING SUM(amount) > 6;
