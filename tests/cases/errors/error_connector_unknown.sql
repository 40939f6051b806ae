-- a connector that does not exist; the message lists those that do
CREATE TABLE t (a INT) WITH ('connector' = 'inlin');
SELECT a FROM t;
