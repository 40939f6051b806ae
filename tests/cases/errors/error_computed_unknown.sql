-- a computed column over an unknown column
CREATE TABLE t (a INT, b AS c + 1) WITH ('connector' = 'inline');
