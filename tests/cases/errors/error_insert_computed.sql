-- INSERT INTO a computed column
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE TABLE o (a INT, b AS a + 1) WITH ('connector' = 'inline');
--! data t
--! +I[1]
INSERT INTO o (a, b) SELECT a, a FROM t;
