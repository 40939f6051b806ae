-- The rowtime columns of a regular join are none any more: two of them may go into a table.
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
CREATE TABLE b (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
CREATE TABLE s (id INT, first_time TIMESTAMP(3), last_time TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data a
--! +I[1, '2024-01-01 00:00:01']
--! data b
--! +I[1, '2024-01-01 00:00:02']
--! +I[1, '2024-01-01 00:00:03']
INSERT INTO s SELECT a.id, a.ts, b.ts FROM a JOIN b ON a.id = b.id;
INSERT INTO s SELECT id, ts, bts FROM (
  SELECT a.id, a.ts, b.ts AS bts, ROW_NUMBER() OVER (PARTITION BY a.id ORDER BY b.ts DESC) AS place FROM a JOIN b ON a.id = b.id
) WHERE place = 1;
