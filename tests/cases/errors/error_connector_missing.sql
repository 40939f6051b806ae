-- a table without a connector
CREATE TABLE t (a INT) WITH ('changelog-mode' = 'I');
SELECT a FROM t;
