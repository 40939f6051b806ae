-- a source without -U needs a primary key
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data t
--! +I['a', 1]
SELECT k FROM t;
