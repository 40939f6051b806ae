-- a sink key that contains the query's key: no materialiser, but -U comes; a global aggregate into any keyed sink
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE y (k STRING, m INT, s INT, PRIMARY KEY (k, m) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE n (c BIGINT, PRIMARY KEY (c) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE o (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I['a', 1]
--! +I['a', 2]
--! +I['b', 2]
--! -D['a', 2]
--! -D['a', 1]
INSERT INTO y SELECT k, MAX(v), SUM(v) FROM t GROUP BY k;
INSERT INTO n SELECT COUNT(*) FROM t;
INSERT INTO o SELECT 'const', SUM(v) FROM t;
