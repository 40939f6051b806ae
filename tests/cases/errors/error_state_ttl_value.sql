-- The value of a hint STATE_TTL is a duration.
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 10]
SELECT /*+ STATE_TTL('a' = 'soon') */ id, SUM(x) AS s FROM a GROUP BY id;
