-- Ranks, deduplication and OVER are as without a state TTL while it has not passed.
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 10]
--! +I[1, 5]
--! +I[2, 5]
--! +I[1, 5]
--! +I[1, 5]
--! +I[1, 1]
SELECT id, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY PROCTIME()) AS rn FROM a) WHERE rn = 1;
SELECT id, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY PROCTIME() DESC) AS rn FROM a) WHERE rn = 1;
SELECT id, x FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY x) AS rn FROM a) WHERE rn <= 2;
SELECT id, m FROM (SELECT *, ROW_NUMBER() OVER (ORDER BY m DESC) AS rn FROM (SELECT id, SUM(x) AS m FROM a GROUP BY id)) WHERE rn <= 2;
SELECT id, x, SUM(x) OVER (PARTITION BY id ORDER BY x) AS s FROM a;
SELECT id, x, COUNT(*) OVER (PARTITION BY id ORDER BY PROCTIME()) AS c FROM a;
SELECT id, x FROM a ORDER BY x LIMIT 2;
