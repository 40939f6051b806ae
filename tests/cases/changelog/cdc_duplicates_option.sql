-- table.exec.source.cdc-events-duplicate puts a normalisation behind a keyed full changelog too
SET 'table.exec.source.cdc-events-duplicate' = 'true';
CREATE TABLE u (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data u
--! +I[1, 10]
--! +I[1, 11]
--! -D[2, 5]
--! -U[1, 11]
--! +U[1, 12]
--! +U[1, 12]
--! -D[1, 10]
SELECT id, v FROM u;
SELECT COUNT(*) AS c, SUM(v) AS s FROM u;
