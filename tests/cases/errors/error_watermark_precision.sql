-- a rowtime of a precision above 3
CREATE TABLE t (a INT, ts TIMESTAMP(6), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
