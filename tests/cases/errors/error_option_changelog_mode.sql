-- a changelog mode that does not exist
CREATE TABLE t (a INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,X');
SELECT a FROM t;
