-- a source of inserts and deletes only (I,D): GROUP BY over it still sends -U and +U, a filter sends I and D
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,D');
--! data t
--! +I['a', 1]
--! +I['a', 2]
--! -D['a', 1]
--! +I['b', 9]
--! -D['a', 2]
SELECT k, v FROM t WHERE v < 5;
SELECT k, SUM(v) AS s FROM t GROUP BY k;
SELECT MAX(v) AS m FROM t;
