-- CREATE TABLE of a name that is taken
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
