-- the materialiser keeps every row of a sink key: removing the last one falls back to the one before, removing an earlier one is silent
CREATE TABLE t (id INT, k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE o (k STRING, id INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I[1, 'a', 10]
--! +I[2, 'a', 20]
--! +I[3, 'a', 30]
--! -D[2, 'a', 20]
--! -D[3, 'a', 30]
--! -U[1, 'a', 10]
--! +U[1, 'b', 10]
--! -D[7, 'z', 0]
--! +I[4, 'b', 10]
--! +I[4, 'b', 10]
--! -D[4, 'b', 10]
--! -D[4, 'b', 10]
--! -D[1, 'b', 10]
INSERT INTO o SELECT k, id, v FROM t;
