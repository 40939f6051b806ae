-- With a state TTL a result that did not change is sent again: what is behind it may have lost its own state.
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
CREATE TABLE c (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data a
--! +I[1, 10]
--! +I[1, 5]
--! +I[2, 5]
--! +I[1, 5]
--! +I[1, NULL]
--! data c
--! +I[1, 10]
--! +I[1, 10]
--! -D[1, 10]
--! -D[1, 10]
--! -D[1, 10]
--! +I[1, 3]
--! -U[1, 3]
--! +U[1, 4]
SELECT id, MAX(x) AS m FROM a GROUP BY id;
SELECT DISTINCT id FROM a;
SELECT id, COUNT(DISTINCT x) AS c, SUM(x) FILTER (WHERE x > 5) AS s FROM a GROUP BY id;
SELECT MAX(x) AS m FROM a;
SELECT id, MAX(x) AS m FROM c GROUP BY id;
SELECT DISTINCT id FROM c;
SELECT COUNT(*) AS c, LISTAGG(CAST(x AS STRING)) AS l FROM (SELECT id, MIN(x) AS x FROM a GROUP BY id);
-- For this grouping alone the hint takes it back.
SELECT /*+ STATE_TTL('a' = '0 s') */ id, MAX(x) AS m FROM a GROUP BY id;
RESET 'table.exec.state.ttl';
SELECT /*+ STATE_TTL('b' = '2 h') */ b.id, MAX(b.x) AS m FROM a AS b GROUP BY b.id;
SELECT /*+ STATE_TTL('a' = '2 h') */ DISTINCT id FROM a;
