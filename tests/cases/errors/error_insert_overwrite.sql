-- INSERT OVERWRITE
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE TABLE o (a INT) WITH ('connector' = 'inline');
INSERT OVERWRITE o SELECT a FROM t;
