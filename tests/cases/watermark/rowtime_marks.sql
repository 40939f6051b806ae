-- the *ROWTIME* mark goes by the first argument; a view that is a UNION ALL beginning with a rowtime can be windowed although its other branch has a plain timestamp
CREATE TABLE e (id INT, ts TIMESTAMP(3), o TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:01', '2024-01-01 00:00:05']
--! +I[2, '2024-01-01 00:00:12', '2024-01-01 00:00:03']
SELECT FLOOR(ts TO HOUR) AS x FROM e;
SELECT TIMESTAMPADD(HOUR, 1, ts) AS x FROM e;
SELECT NULLIF(ts, o) AS x FROM e;
SELECT IFNULL(ts, o) AS x FROM e;
SELECT COALESCE(o, ts) AS x FROM e;
SELECT IF(id = 1, ts, o) AS x FROM e;
SELECT CASE WHEN id = 1 THEN o ELSE ts END AS x FROM e;
SELECT o FROM e UNION ALL SELECT ts FROM e;
CREATE VIEW u AS SELECT id, ts AS x FROM e UNION ALL SELECT id, o FROM e;
SELECT window_start, COUNT(*) AS c, SUM(id) AS s FROM TABLE(TUMBLE(TABLE u, DESCRIPTOR(x), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
