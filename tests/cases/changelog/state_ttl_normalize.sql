-- With a state TTL an upsert source sends an update on although nothing changed.
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE u (id INT PRIMARY KEY NOT ENFORCED, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data u
--! +I[1, 10]
--! +U[1, 10]
--! +U[2, 10]
--! -D[1, NULL]
--! -D[1, NULL]
--! +I[1, 10]
--! +U[1, 3]
--! +U[1, 3]
SELECT * FROM u;
SELECT id FROM u WHERE x > 5;
SELECT x, COUNT(*) AS c FROM u GROUP BY x;
