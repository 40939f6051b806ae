-- WATERMARK FOR an unknown column
CREATE TABLE t (a INT, WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
