-- ALTER TABLE drops a watermark that is not there
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
ALTER TABLE t DROP WATERMARK;
