-- How long a join keeps each side: by the setting, or by the hint STATE_TTL with the name of a table, a view or an alias.
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
CREATE TABLE b (id INT, y INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE VIEW v AS SELECT id, MAX(y) AS m FROM b GROUP BY id;
--! data a
--! +I[1, 10]
--! data b
--! +I[1, 7]
--! -U[1, 7]
--! +U[1, 7]
--! +I[2, 3]
--! data a
--! +I[2, 4]
--! +I[NULL, 4]
SELECT a.id, x, y FROM a LEFT JOIN b ON a.id = b.id;
SELECT a.id, x FROM a WHERE a.id IN (SELECT id FROM b);
SELECT a.id, x, m FROM a JOIN v ON a.id = v.id;
SELECT /*+ STATE_TTL('a' = '1d', 'b' = '12h') */ a.id, x, y FROM a JOIN b ON a.id = b.id;
SELECT /*+ STATE_TTL('l' = '0 s') */ l.id, x, m FROM a AS l FULL JOIN v AS r ON l.id = r.id;
SELECT /*+ STATE_TTL('b' = '1d') */ a.id, SUM(x) AS s, MAX(y) AS m FROM a, b WHERE a.id = b.id GROUP BY a.id;
SELECT /*+ STATE_TTL('c' = '3d') */ a.id, b.y, c.m FROM a JOIN b ON a.id = b.id JOIN (SELECT * FROM v) AS c ON c.id = b.id;
