-- a primary key is never checked: DISTINCT over an append-only table's key passes duplicates through, COUNT counts them
CREATE TABLE a (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline');
--! data a
--! +I['a', 1]
--! +I['a', 1]
--! +I['b', NULL]
--! +I['a', 2]
SELECT DISTINCT k FROM a;
SELECT DISTINCT v FROM a;
SELECT k, MAX(v) AS m FROM a GROUP BY k;
SELECT k, COUNT(*) AS c FROM a GROUP BY k;
SELECT k, v FROM a;
