-- the query has fewer columns than the sink
CREATE TABLE t (a INT, b INT) WITH ('connector' = 'inline');
CREATE TABLE o (a INT, b INT, c INT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 2]
INSERT INTO o SELECT a, b FROM t;
