-- HAVING before an upsert sink: a group leaves by a lone -U, so the aggregate must give -U also where the sink wants none; a HAVING on the key needs none
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
CREATE TABLE u (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE f (k STRING, s INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 5]
--! +I['a', 10]
--! +I['a', -20]
--! +I['a', 100]
INSERT INTO u SELECT k, SUM(v) FROM t GROUP BY k HAVING SUM(v) > 8;
INSERT INTO f SELECT k, SUM(v) FROM t GROUP BY k HAVING SUM(v) > 8;
INSERT INTO u SELECT k, SUM(v) FROM t GROUP BY k HAVING k <> 'z';
