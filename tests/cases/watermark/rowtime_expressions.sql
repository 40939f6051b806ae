-- watermark expressions other than ts - INTERVAL: ts itself, an added interval, one that depends on another column and is NULL or falls back
CREATE TABLE f (id INT, slack INT, ts TIMESTAMP(3), WATERMARK FOR ts AS CASE WHEN slack >= 0 THEN TIMESTAMPADD(SECOND, -slack, ts) END) WITH ('connector' = 'inline');
--! data f
--! +I[1, 0, '2024-01-01 00:00:01']
--! +I[2, -1, '2024-01-01 00:00:30']
--! +I[3, 15, '2024-01-01 00:00:25']
--! +I[4, 60, '2024-01-01 00:00:26']
--! +I[5, 0, '2024-01-01 00:00:20']
--! +I[6, 0, '2024-01-01 00:00:19.999']
--! +I[7, 1, '2024-01-01 00:00:31']
SELECT window_start, COUNT(*) AS c, MIN(id) AS mi, MAX(id) AS ma FROM TABLE(TUMBLE(TABLE f, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT id, CURRENT_WATERMARK(ts) AS wm FROM f;
