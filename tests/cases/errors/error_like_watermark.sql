-- LIKE with a watermark that both have
CREATE TABLE base (a INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE t (WATERMARK FOR ts AS ts) LIKE base;
