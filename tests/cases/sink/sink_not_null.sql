-- NULL for a NOT NULL sink column stops the job by default
CREATE TABLE t (id INT, v INT) WITH ('connector' = 'inline');
CREATE TABLE o (id INT NOT NULL, v INT NOT NULL) WITH ('connector' = 'inline');
--! data t
--! +I[1, 1]
--! +I[2, NULL]
--! +I[3, 3]
INSERT INTO o SELECT id, v FROM t;
