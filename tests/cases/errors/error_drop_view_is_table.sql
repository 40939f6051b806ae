-- DROP VIEW of a table
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
DROP VIEW t;
