-- an upsert source that never deletes (I,UA)
CREATE TABLE u (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA');
--! data u
--! +I[1, 1]
--! +U[1, 2]
--! +U[2, 5]
--! +I[2, 6]
--! +U[2, 6]
SELECT id, v FROM u;
SELECT SUM(v) AS s, COUNT(*) AS c FROM u;
SELECT id, v FROM u WHERE v < 6;
