-- LIKE of a table that does not exist
CREATE TABLE t (a INT) WITH ('connector' = 'inline') LIKE nothing;
