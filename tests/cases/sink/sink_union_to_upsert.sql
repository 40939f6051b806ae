-- UNION ALL into an upsert sink has no key: materialised; of append-only branches it is a plain append
CREATE TABLE u (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE t (k STRING NOT NULL, v INT) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data u
--! +I['a', 1]
--! data t
--! +I['a', 100]
--! data u
--! +U['a', 2]
--! +I['b', 3]
--! -D['a', NULL]
--! data t
--! +I['b', 200]
INSERT INTO o SELECT k, s FROM u UNION ALL SELECT k, v FROM t;
INSERT INTO o SELECT k, v FROM t UNION ALL SELECT k, v + 1 FROM t;
INSERT INTO o SELECT k, SUM(s) FROM (SELECT k, s FROM u UNION ALL SELECT k, v FROM t) GROUP BY k;
INSERT INTO o SELECT DISTINCT k, v FROM t;
