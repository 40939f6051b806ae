-- which expressions keep the mark of a time attribute in the result: columns, renaming, intervals, COALESCE, CASE, MAX, GROUP BY, UNION ALL with a plain column do; CAST does not
CREATE TABLE e (id INT, ts TIMESTAMP(3), other TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:01', '2024-01-01 00:00:02']
--! +I[2, '2024-01-01 00:00:12', NULL]
SELECT ts AS renamed FROM e;
SELECT t2 FROM (SELECT ts AS t2, id FROM e WHERE id > 0) WHERE id < 10;
SELECT ts + INTERVAL '1' SECOND AS x FROM e;
SELECT COALESCE(ts, other) AS x FROM e;
SELECT CASE WHEN id > 0 THEN ts ELSE other END AS x FROM e;
SELECT CAST(ts AS TIMESTAMP(3)) AS x FROM e;
SELECT CAST(ts AS TIMESTAMP(6)) AS x FROM e;
SELECT other FROM e;
SELECT MAX(ts) AS x FROM e;
SELECT ts, COUNT(*) AS c FROM e GROUP BY ts;
SELECT DISTINCT ts FROM e;
SELECT ts FROM e UNION ALL SELECT other FROM e;
SELECT ts FROM e UNION ALL SELECT ts FROM e WHERE id = 1;
