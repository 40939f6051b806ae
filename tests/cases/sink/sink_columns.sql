-- INSERT INTO with a column list (other order, missing columns are NULL), by position otherwise; computed columns are left out
CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'inline');
CREATE TABLE o (x INT, y STRING, z DOUBLE) WITH ('connector' = 'inline');
CREATE TABLE cc (x INT, twice AS x * 2, y STRING) WITH ('connector' = 'inline');
--! data t
--! +I[1, 'a']
--! +I[2, NULL]
INSERT INTO o (y, x) SELECT b, a FROM t;
INSERT INTO o SELECT a, b, a / 2.0 FROM t;
INSERT INTO o (x) SELECT a FROM t;
INSERT INTO cc SELECT a, b FROM t;
INSERT INTO cc (y) SELECT b FROM t;
