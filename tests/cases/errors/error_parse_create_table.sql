-- CREATE TABLE with an unknown type
CREATE TABLE t (a INTT) WITH ('connector' = 'inline');
SELECT a FROM t;
