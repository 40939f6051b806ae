-- a column list names a column twice
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE TABLE o (a INT, b INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
INSERT INTO o (a, a) SELECT a, a FROM t;
