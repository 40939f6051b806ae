-- query key (a, b) into sinks keyed by (a, b), by (b, a), by a, and with no key: who gets a materialiser
CREATE TABLE t (a INT, b INT, v INT) WITH ('connector' = 'inline');
CREATE TABLE k_ab (a INT, b INT, s INT, PRIMARY KEY (a, b) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE k_ba (a INT, b INT, s INT, PRIMARY KEY (b, a) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE k_a (a INT, b INT, s INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE k_none (a INT, b INT, s INT) WITH ('connector' = 'inline');
CREATE TABLE k_full (a INT, b INT, s INT, PRIMARY KEY (a, b) NOT ENFORCED) WITH ('connector' = 'inline');
--! data t
--! +I[1, 1, 10]
--! +I[1, 2, 20]
--! +I[1, 1, 1]
--! +I[2, 1, 5]
--! +I[1, 2, 2]
INSERT INTO k_ab SELECT a, b, SUM(v) FROM t GROUP BY a, b;
INSERT INTO k_ba SELECT a, b, SUM(v) FROM t GROUP BY a, b;
INSERT INTO k_a SELECT a, b, SUM(v) FROM t GROUP BY a, b;
INSERT INTO k_none SELECT a, b, SUM(v) FROM t GROUP BY a, b;
INSERT INTO k_full SELECT a, b, SUM(v) FROM t GROUP BY a, b;
