-- table.exec.sink.not-null-enforcer = DROP leaves such rows out, silently
SET 'table.exec.sink.not-null-enforcer' = 'DROP';
CREATE TABLE t (id INT, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE o (id INT NOT NULL, v INT NOT NULL) WITH ('connector' = 'inline');
--! data t
--! +I[1, 1]
--! +I[2, NULL]
--! -U[1, 1]
--! +U[1, NULL]
--! -D[2, NULL]
--! +I[3, 3]
INSERT INTO o SELECT id, v FROM t;
INSERT INTO o SELECT id, SUM(v) FROM t GROUP BY id;
