-- an upsert source into an insert-only sink
CREATE TABLE t (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE o (k STRING, v INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I');
--! data t
--! +I['a', 1]
INSERT INTO o SELECT k, v FROM t;
