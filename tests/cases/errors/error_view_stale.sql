-- a view whose table was dropped fails when it is used
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE VIEW v AS SELECT a FROM t;
DROP TABLE t;
SELECT a FROM v;
