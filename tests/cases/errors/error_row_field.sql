-- A field that the row does not have.
CREATE TABLE t (id INT, r ROW<a BIGINT, b STRING>) WITH ('connector' = 'inline');


SELECT r.c FROM t;
