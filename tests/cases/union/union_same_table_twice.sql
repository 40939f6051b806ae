-- UNION ALL of two filters of one table: a row that passes both comes twice
CREATE TABLE t (id INT, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 5]
--! +I[2, 15]
--! -U[1, 5]
--! +U[1, 25]
--! -D[2, 15]
SELECT id, v FROM t WHERE v > 1 UNION ALL SELECT id, v FROM t WHERE v > 10;
SELECT COUNT(*) AS c FROM (SELECT id, v FROM t UNION ALL SELECT id, v FROM t);
SELECT id, 'low' AS lv FROM t WHERE v < 10 UNION ALL SELECT id, 'high' FROM t WHERE v >= 10;
