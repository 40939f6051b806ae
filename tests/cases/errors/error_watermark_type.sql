-- WATERMARK FOR a column that is no timestamp
CREATE TABLE t (a STRING, WATERMARK FOR a AS a) WITH ('connector' = 'inline');
