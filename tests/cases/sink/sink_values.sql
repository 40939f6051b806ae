-- INSERT INTO .. VALUES of one row, and a SELECT without FROM
CREATE TABLE o (x INT, y STRING) WITH ('connector' = 'inline');
INSERT INTO o VALUES (1, 'a');
INSERT INTO o SELECT 2, 'b';
INSERT INTO o (y) VALUES ('c');
INSERT INTO o VALUES (3, 'aaa'), (4, 'bbb');
