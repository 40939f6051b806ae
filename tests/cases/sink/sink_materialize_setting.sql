-- table.exec.sink.upsert-materialize NONE and FORCE
CREATE TABLE t (id INT, k STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE ap (id INT, k STRING) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, id INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I[1, 'a']
--! +I[2, 'a']
--! -D[2, 'a']
--! -U[1, 'a']
--! +U[1, 'b']
--! data ap
--! +I[1, 'a']
--! +I[2, 'a']
INSERT INTO o SELECT k, id FROM t;
INSERT INTO o SELECT k, id FROM ap;
SET 'table.exec.sink.upsert-materialize' = 'NONE';
INSERT INTO o SELECT k, id FROM t;
SET 'table.exec.sink.upsert-materialize' = 'FORCE';
INSERT INTO o SELECT k, id FROM t;
INSERT INTO o SELECT k, id FROM ap;
