-- a view is fixed when it is made: SELECT * in it does not see a table made anew
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE VIEW v AS SELECT * FROM t;
DROP TABLE t;
CREATE TABLE t (a INT, b INT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 2]
SELECT * FROM v;
