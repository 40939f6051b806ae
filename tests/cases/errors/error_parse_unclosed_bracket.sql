-- a bracket that is not closed
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT (a + 1 FROM t;
