-- a column list names a column that the sink does not have
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE TABLE o (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
INSERT INTO o (x) SELECT a FROM t;
