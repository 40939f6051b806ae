-- a window over an upsert source: the normalisation's -U carries the old row's time
CREATE TABLE u (id INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data u
--! +I[1, 10, '2024-01-01 00:00:01']
--! +I[2, 20, '2024-01-01 00:00:02']
--! +U[1, 11, '2024-01-01 00:00:03']
--! +U[2, 21, '2024-01-01 00:00:11']
--! -D[1, 11, '2024-01-01 00:00:03']
--! +I[3, 5, '2024-01-01 00:00:15']
--! +U[1, 12, '2024-01-01 00:00:25']
SELECT window_start, COUNT(*) AS c, SUM(v) AS s FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT id, v, ts FROM u;
