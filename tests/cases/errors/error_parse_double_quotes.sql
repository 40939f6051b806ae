-- double quotes are no quotes for names
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT "a" FROM t;
