-- INSERT INTO a view
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE VIEW v AS SELECT a FROM t;
INSERT INTO v SELECT a FROM t;
