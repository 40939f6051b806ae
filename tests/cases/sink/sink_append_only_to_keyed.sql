-- an append-only query into a keyed upsert sink: repeated keys are plain +I; an insert-only sink takes it too
CREATE TABLE t (id INT, k STRING) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, id INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE i (k STRING, id INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I');
CREATE TABLE ik (k STRING, id INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I');
--! data t
--! +I[1, 'a']
--! +I[2, 'a']
--! +I[2, 'a']
INSERT INTO o SELECT k, id FROM t;
INSERT INTO i SELECT k, id FROM t;
INSERT INTO ik SELECT k, id FROM t;
INSERT INTO i SELECT k, id FROM t WHERE id > 1;
