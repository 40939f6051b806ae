-- A field of what is no row.
CREATE TABLE t (id INT, r ROW<a BIGINT, b STRING>) WITH ('connector' = 'inline');


SELECT t.id.a FROM t;
