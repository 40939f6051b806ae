-- the ways to declare a primary key; its columns become NOT NULL
CREATE TABLE a (id INT PRIMARY KEY NOT ENFORCED, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE b (id INT, k STRING, v INT, CONSTRAINT pk PRIMARY KEY (k, id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data a
--! +I[1, 1]
--! +U[1, 2]
--! data b
--! +I[1, 'x', 1]
--! +I[1, 'y', 1]
--! +U[1, 'x', 2]
SELECT * FROM a;
SELECT * FROM b;
SELECT id, COUNT(*) AS c FROM b GROUP BY id;
DESCRIBE b;
