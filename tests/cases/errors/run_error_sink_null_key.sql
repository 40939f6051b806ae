-- NULL in the key of a sink, from a NULL group: the rows before it are kept
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I['a', 1]
--! +I[NULL, 1]
--! +I['b', 1]
INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k;
