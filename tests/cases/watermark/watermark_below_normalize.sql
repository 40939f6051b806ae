-- the watermark of an upsert source is made below its normalisation: rows that the normalisation swallows move it too
CREATE TABLE u (id INT, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data u
--! +I[1, 1, '2024-01-01 00:00:01']
--! +U[1, 1, '2024-01-01 00:00:01']
--! -D[9, 1, '2024-01-01 00:00:30']
--! +I[2, 1, '2024-01-01 00:00:25']
--! +I[3, 1, '2024-01-01 00:00:05']
--! +I[4, 1, '2024-01-01 00:00:35']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT id, ts, CURRENT_WATERMARK(ts) AS wm FROM u;
