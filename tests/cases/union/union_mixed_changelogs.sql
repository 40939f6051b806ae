-- UNION ALL of an append-only table, a full changelog, an upsert source and an aggregate
CREATE TABLE a (k STRING, v INT) WITH ('connector' = 'inline');
CREATE TABLE b (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE c (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data a
--! +I['a', 1]
--! data b
--! +I['a', 1]
--! data c
--! +I['a', 1]
--! +U['a', 1]
--! +U['a', 2]
--! data a
--! +I['a', 1]
--! data b
--! -U['a', 1]
--! +U['b', 5]
--! data c
--! -D['a', NULL]
SELECT k, v FROM a UNION ALL SELECT k, v FROM b UNION ALL SELECT k, v FROM c;
SELECT k, SUM(v) AS s FROM (SELECT k, v FROM a UNION ALL SELECT k, v FROM b UNION ALL SELECT k, v FROM c) GROUP BY k;
SELECT k, v FROM a UNION ALL SELECT k, SUM(v) FROM b GROUP BY k;
SELECT 'a' AS src, k, v FROM a UNION ALL SELECT 'bb', k, v FROM b WHERE v > 1;
