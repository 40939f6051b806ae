-- INSERT INTO a table that does not exist
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
INSERT INTO nowhere SELECT a FROM t;
