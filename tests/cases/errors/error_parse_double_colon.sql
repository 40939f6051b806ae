-- :: is no cast
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a::STRING AS s FROM t;
