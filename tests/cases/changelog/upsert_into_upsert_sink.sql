-- an upsert source into an upsert sink of the same key needs neither -U nor state: rows go straight through
CREATE TABLE u (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE o (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE o_nokey (id INT, v INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UB,UA,D');
--! data u
--! +I[1, 1]
--! +U[1, 1]
--! +U[1, 2]
--! -D[2, NULL]
--! +I[1, 3]
--! -D[1, NULL]
INSERT INTO o SELECT id, v FROM u;
INSERT INTO o SELECT id, v FROM u WHERE v < 3;
INSERT INTO o SELECT id, v + 1 FROM u;
INSERT INTO o_nokey SELECT id, v FROM u;
