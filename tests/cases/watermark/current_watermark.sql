-- CURRENT_WATERMARK(ts) is the watermark before the row, NULL before the first
CREATE TABLE e (
  id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND
) WITH ('connector' = 'inline');

--! data e
--! +I[1, '2024-01-01 00:00:05']
--! +I[2, '2024-01-01 00:00:10.998']
--! +I[3, '2024-01-01 00:00:09.500']
--! +I[4, '2024-01-01 00:00:12']

SELECT id, ts, CURRENT_WATERMARK(ts) AS wm FROM e;
SELECT id FROM e WHERE CURRENT_WATERMARK(ts) IS NULL OR ts > CURRENT_WATERMARK(ts);
