-- an upsert sink may be sent -U although its declared mode (I,UA,D) has none: a filter above the aggregate needs it
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I['a', 5]
--! +I['a', -10]
--! +I['a', 20]
INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k HAVING SUM(v) > 0;
INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k;
