-- a watermark expression of another type
CREATE TABLE t (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS a) WITH ('connector' = 'inline');
