-- A condition over the rows of sessions: which rows make a session.
CREATE TABLE a (k INT, b BOOLEAN, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[NULL, FALSE, '2024-01-01 00:10:08.000']
--! +I[NULL, TRUE, '2024-01-01 00:10:09.000']
--! +I[1, TRUE, '2024-01-01 00:10:10.000']
--! +I[1, FALSE, '2024-01-01 00:10:12.000']
--! +I[1, TRUE, '2024-01-01 00:10:14.000']
SELECT window_start, window_end, k, COUNT(*) AS c FROM TABLE(SESSION(TABLE a PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND)) WHERE b GROUP BY window_start, window_end, k;
SELECT window_start, window_end, k, b FROM TABLE(SESSION(TABLE a PARTITION BY k, DESCRIPTOR(ts), INTERVAL '3' SECOND)) WHERE b;
