-- window aggregates below and above a window join
CREATE TABLE l (k INT, lv STRING, lts TIMESTAMP(3), WATERMARK FOR lts AS lts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, rv INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts - INTERVAL '1' SECOND) WITH ('connector' = 'inline');
CREATE VIEW lw AS SELECT * FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(lts), INTERVAL '10' SECOND));
CREATE VIEW rw AS SELECT * FROM TABLE(TUMBLE(TABLE r, DESCRIPTOR(rts), INTERVAL '10' SECOND));
--! data l
--! +I[1, 'a', '2024-01-01 00:00:01']
--! +I[1, 'b', '2024-01-01 00:00:02']
--! +I[NULL, 'n', '2024-01-01 00:00:03']
--! data r
--! +I[1, 5, '2024-01-01 00:00:04']
--! +I[1, 6, '2024-01-01 00:00:05']
--! +I[2, 7, '2024-01-01 00:00:05']
--! +I[NULL, 9, '2024-01-01 00:00:06']
--! data l
--! +I[3, 'c', '2024-01-01 00:00:09']
--! +I[1, 'd', '2024-01-01 00:00:12']
--! data r
--! +I[1, 8, '2024-01-01 00:00:15']
--! data l
--! +I[1, 'late', '2024-01-01 00:00:08']
--! data r
--! +I[4, 1, '2024-01-01 00:00:31']
--! data l
--! +I[4, 'e', '2024-01-01 00:00:35']
--! +I[4, 'f', '2024-01-01 00:00:45']
SELECT x.window_start, k, n, m FROM (SELECT window_start, window_end, k, COUNT(*) AS n FROM lw GROUP BY window_start, window_end, k) AS x JOIN (SELECT window_start, window_end, MAX(rv) AS m FROM rw GROUP BY window_start, window_end) AS y ON x.window_start = y.window_start AND x.window_end = y.window_end;
SELECT window_start, COUNT(*) AS n FROM (SELECT lw.window_start, lw.window_end, lv, rv FROM lw JOIN rw ON lw.k = rw.k AND lw.window_start = rw.window_start AND lw.window_end = rw.window_end) GROUP BY window_start, window_end;
