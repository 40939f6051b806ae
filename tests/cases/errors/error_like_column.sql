-- LIKE with a column that both have
CREATE TABLE base (a INT) WITH ('connector' = 'inline');
CREATE TABLE t (a INT) LIKE base;
