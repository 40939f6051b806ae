-- a window over the union of an append-only and an updating table, with one watermark per table
CREATE TABLE a (id INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE b (id INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '1' SECOND) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE VIEW ab AS SELECT id, v, ts FROM a UNION ALL SELECT id, v, ts FROM b;
--! data a
--! +I[1, 10, '2024-01-01 00:00:01']
--! data b
--! +I[1, 10, '2024-01-01 00:00:02']
--! -U[1, 10, '2024-01-01 00:00:02']
--! +U[1, 11, '2024-01-01 00:00:02']
--! +I[2, 5, '2024-01-01 00:00:12']
--! data a
--! +I[2, 7, '2024-01-01 00:00:13']
--! data b
--! -D[2, 5, '2024-01-01 00:00:12']
SELECT window_start, COUNT(*) AS c, SUM(v) AS s, MAX(v) AS m FROM TABLE(TUMBLE(TABLE ab, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
