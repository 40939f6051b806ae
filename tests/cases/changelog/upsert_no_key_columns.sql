-- an upsert source whose key is the second column: changes are judged on whole rows, also where the query reads few columns
CREATE TABLE u (v INT, id INT NOT NULL, s STRING, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data u
--! +I[10, 1, 'a']
--! +U[10, 1, 'b']
--! +U[11, 1, 'b']
--! +I[NULL, 2, NULL]
--! +U[NULL, 2, NULL]
--! -D[99, 1, 'zzz']
--! -D[NULL, 2, NULL]
--! -D[NULL, 2, NULL]
--! +U[1, 1, 'c']
SELECT v FROM u;
SELECT v, id FROM u;
SELECT * FROM u;
SELECT COUNT(*) AS c, SUM(v) AS s FROM u;
