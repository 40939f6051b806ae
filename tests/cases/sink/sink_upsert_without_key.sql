-- an upsert sink (I,UA,D) without a primary key is accepted under an updating query: it gets no -U, and nothing says to which row a +U belongs
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE o (k STRING, v INT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data t
--! +I['a', 1]
--! +I['a', 2]
--! -D['a', 1]
--! -D['a', 2]
INSERT INTO o SELECT k, SUM(v) FROM t GROUP BY k;
INSERT INTO o SELECT k, v FROM t;
