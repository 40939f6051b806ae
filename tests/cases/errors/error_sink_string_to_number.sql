-- a string literal into an INT column
CREATE TABLE o (i INT) WITH ('connector' = 'inline');
INSERT INTO o SELECT 'a';
