-- defect: TUMBLE over an inline UNION ALL reads its first branch only; over a view of the same union it reads both
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE VIEW ab AS SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b;
--! data a
--! +I[1, '2024-01-01 00:00:01']
--! data b
--! +I[2, '2024-01-01 00:00:02']
--! data a
--! +I[3, '2024-01-01 00:00:12']
--! data b
--! +I[4, '2024-01-01 00:00:13']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE((SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE ab, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE((SELECT id, ts FROM ab), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, id FROM TABLE(TUMBLE((SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b), DESCRIPTOR(ts), INTERVAL '10' SECOND));
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE((SELECT * FROM (SELECT id, ts FROM a UNION ALL SELECT id, ts FROM b)), DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
