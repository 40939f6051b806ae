-- an upsert source with a key of two columns; GROUP BY one of them, and by all of the key
CREATE TABLE u (a INT, b STRING, v INT, PRIMARY KEY (a, b) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data u
--! +I[1, 'x', 10]
--! +I[1, 'y', 20]
--! +U[1, 'x', 11]
--! +I[2, 'x', 5]
--! -D[1, 'y', NULL]
--! +U[2, 'x', 6]
--! -D[2, 'x', 6]
SELECT a, b, v FROM u;
SELECT a, SUM(v) AS s FROM u GROUP BY a;
SELECT b, MAX(v) AS m, COUNT(*) AS c FROM u GROUP BY b;
SELECT a, b, SUM(v) AS s FROM u GROUP BY a, b;
