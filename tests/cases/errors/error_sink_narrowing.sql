-- BIGINT into an INT column: INSERT INTO widens but does not narrow
CREATE TABLE t (b BIGINT) WITH ('connector' = 'inline');
CREATE TABLE o (i INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
INSERT INTO o SELECT b FROM t;
