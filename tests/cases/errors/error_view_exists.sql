-- CREATE VIEW of a name that is taken
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE VIEW t AS SELECT 1 AS a;
