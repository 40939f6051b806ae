-- a sink of inserts and deletes (I,D) refuses updates
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, v INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,D');
--! data t
--! +I['a', 1]
INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k;
