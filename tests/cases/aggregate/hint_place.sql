-- Behind a table a hint STATE_TTL says nothing, nor does one for a join in a SELECT that has none.
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 10]
SELECT id, SUM(x) AS s FROM a /*+ STATE_TTL('a' = '1d') */ GROUP BY id;
SELECT /*+ BROADCAST(a) */ id, x FROM a;
SELECT /*+ STATE_TTL('a' = '1d') */ id, x FROM a;
