-- A hint STATE_TTL takes pairs.
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 10]
SELECT /*+ STATE_TTL('1d') */ id, SUM(x) AS s FROM a GROUP BY id;
