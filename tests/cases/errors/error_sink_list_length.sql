-- a column list of another length than the query
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE TABLE o (a INT, b INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
INSERT INTO o (a, b) SELECT a FROM t;
