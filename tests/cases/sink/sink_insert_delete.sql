-- a sink of inserts and deletes (I,D) under a source of inserts and deletes
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,D');
CREATE TABLE o (k STRING, v INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,D');
CREATE TABLE u (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I['a', 1]
--! +I['a', 2]
--! -D['a', 2]
--! +I['b', 5]
--! -D['a', 1]
INSERT INTO o SELECT k, v FROM t WHERE v < 5;
INSERT INTO u SELECT k, v FROM t;
INSERT INTO o SELECT k, v FROM t UNION ALL SELECT k, v FROM t;
