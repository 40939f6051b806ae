-- A sink whose key is not the query's, with a state TTL.
SET 'table.exec.state.ttl' = '1 h';
CREATE TABLE a (id INT, x INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
CREATE TABLE s (m INT, id INT, PRIMARY KEY (m) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data a
--! +I[1, 10]
--! +I[2, 10]
--! +I[1, 5]
--! +I[2, 12]
--! +I[1, 12]
INSERT INTO s SELECT MAX(x), id FROM a GROUP BY id;
