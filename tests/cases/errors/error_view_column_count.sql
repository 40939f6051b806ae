-- a view with more names than columns
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE VIEW v (x, y) AS SELECT a FROM t;
