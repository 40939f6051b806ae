-- a statement that ends too early
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a FROM t WHERE;
