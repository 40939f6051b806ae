-- a column declared twice
CREATE TABLE t (a INT, a STRING) WITH ('connector' = 'inline');
