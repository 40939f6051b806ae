-- a table with updates straight into an insert-only sink: the message names the scan
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE o (k STRING) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I');
--! data t
--! +I['a', 1]
INSERT INTO o SELECT k FROM t WHERE v > 0;
