-- An unknown hint.
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 10]
SELECT /*+ STATE_TLL('a' = '1d') */ id, SUM(x) AS s FROM a GROUP BY id;
