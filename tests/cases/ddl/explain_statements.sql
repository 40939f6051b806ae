-- EXPLAIN of a query and of an INSERT, plain and with CHANGELOG_MODE
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE o (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
EXPLAIN SELECT k, SUM(v) AS s FROM t WHERE v > 1 GROUP BY k;
EXPLAIN CHANGELOG_MODE SELECT k, SUM(v) AS s FROM t WHERE v > 1 GROUP BY k;
EXPLAIN CHANGELOG_MODE INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k HAVING COUNT(*) > 1;
EXPLAIN PLAN FOR SELECT k FROM t;
