-- a sink of inserts and updates only (I,UA) refuses a query that deletes
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE o (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA');
--! data t
--! +I['a', 1]
INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k;
