-- a metadata column of a connector that has none
CREATE TABLE t (a INT, m TIMESTAMP(3) METADATA FROM 'timestamp') WITH ('connector' = 'inline');
SELECT a FROM t;
