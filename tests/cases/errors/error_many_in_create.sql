-- a computed column may not use another computed column
CREATE TABLE t (a INT, b AS a + 1, c AS b + 1) WITH ('connector' = 'inline');
