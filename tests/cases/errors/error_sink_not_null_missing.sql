-- a column list leaves a NOT NULL column out
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE TABLE o (a INT, b INT NOT NULL) WITH ('connector' = 'inline');
--! data t
--! +I[1]
INSERT INTO o (a) SELECT a FROM t;
