-- columns without a comma between them
CREATE TABLE t (a INT b STRING) WITH ('connector' = 'inline');
