-- A hint STATE_TTL names an input of its SELECT.
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 10]
SELECT /*+ STATE_TTL('z' = '1d') */ id, SUM(x) AS s FROM a GROUP BY id;
