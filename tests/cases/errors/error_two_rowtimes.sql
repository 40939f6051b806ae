-- What goes into a table has one rowtime column at most.
CREATE TABLE a (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
CREATE TABLE s (id INT, first_time TIMESTAMP(3), last_time TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data a
--! +I[1, '2024-01-01 00:00:01']
INSERT INTO s SELECT id, ts, ts AS again FROM a;
