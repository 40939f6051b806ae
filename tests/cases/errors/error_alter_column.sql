-- ALTER TABLE drops a column that is not there
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
ALTER TABLE t DROP b;
