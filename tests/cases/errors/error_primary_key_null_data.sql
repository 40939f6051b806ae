-- a data line with NULL in the primary key
CREATE TABLE t (id INT, v INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data t
--! +I[NULL, 1]
SELECT id FROM t;
