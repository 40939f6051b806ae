-- a filter on an upsert source: on the key it goes below the normalisation, on other columns into it, and an update across it is +I or -D
CREATE TABLE u (id INT, v INT, s STRING, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data u
--! +I[1, 1, 'a']
--! +U[1, 20, 'a']
--! +U[1, 30, 'a']
--! +U[1, 2, 'a']
--! +I[2, 50, 'b']
--! -D[2, 50, 'b']
--! +I[3, 50, 'b']
--! +U[3, 50, 'c']
--! -D[1, NULL, NULL]
SELECT id, v FROM u WHERE v > 10;
SELECT id, v FROM u WHERE id >= 2;
SELECT id, v FROM u WHERE id >= 2 AND s = 'b';
SELECT s, COUNT(*) AS c FROM u WHERE v > 10 GROUP BY s;
SELECT id FROM u WHERE v > 10;
