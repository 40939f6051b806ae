-- a full changelog with a primary key into sinks with and without -U
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE full_out (id INT, v INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UB,UA,D');
CREATE TABLE upsert_out (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE other_key (id INT, v INT, PRIMARY KEY (v) NOT ENFORCED)
  WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I[1, 1]
--! -U[1, 1]
--! +U[1, 2]
--! +I[2, 2]
--! -D[2, 2]
--! -U[1, 2]
--! +U[1, 3]
--! -D[1, 3]
INSERT INTO full_out SELECT id, v FROM t;
INSERT INTO upsert_out SELECT id, v FROM t;
INSERT INTO other_key SELECT id, v FROM t;
INSERT INTO upsert_out SELECT id, v FROM t WHERE v <> 2;
