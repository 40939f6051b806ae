-- ALTER TABLE of a table that does not exist
ALTER TABLE nothing SET ('connector' = 'print');
