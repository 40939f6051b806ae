-- what a projection does to the upsert key: columns and widening keep it, functions and COALESCE lose it (upsertMaterialize), a constant beside it does not matter
CREATE TABLE t (k STRING, k2 INT, v INT) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE x (k STRING, c INT, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE b (k BIGINT, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I['a', 1, 10]
--! +I['a', 1, 20]
--! +I['A', 1, 3]
--! +I['b', 2, 5]
--! +I['a', 2, 1]
INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k;
INSERT INTO o SELECT UPPER(k), SUM(v) FROM t GROUP BY k;
INSERT INTO o SELECT CAST(k AS VARCHAR(5)), SUM(v) FROM t GROUP BY k;
INSERT INTO o SELECT CAST(k2 AS STRING), SUM(v) FROM t GROUP BY k2;
INSERT INTO o SELECT COALESCE(k, '-'), SUM(v) FROM t GROUP BY k;
INSERT INTO x SELECT k, 7, SUM(v) FROM t GROUP BY k;
INSERT INTO x SELECT k, k2, SUM(v) FROM t WHERE k2 = 1 GROUP BY k, k2;
INSERT INTO b SELECT k2, SUM(v) FROM t GROUP BY k2;
