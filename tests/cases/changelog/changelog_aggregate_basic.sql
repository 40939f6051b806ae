-- a changelog into aggregates: retraction, deletes of whole groups, MIN/MAX with retraction
CREATE TABLE t (id INT, k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');

--! data t
--! +I[1, 'a', 10]
--! +I[2, 'a', 20]
--! +I[3, 'b', 5]
--! -U[1, 'a', 10]
--! +U[1, 'a', 15]
--! -U[3, 'b', 5]
--! +U[3, 'a', 5]
--! -D[2, 'a', 20]
--! -D[1, 'a', 15]
--! -D[3, 'a', 5]
--! +I[4, 'a', 1]
--! +I[5, 'a', NULL]
--! -D[4, 'a', 1]

SELECT k, COUNT(*) AS c, SUM(v) AS s FROM t GROUP BY k;
SELECT k, MIN(v) AS mi, MAX(v) AS ma, AVG(v) AS av FROM t GROUP BY k;
-- global: when the last row is retracted, the result row is deleted too (not set to 0)
SELECT COUNT(*) AS c, SUM(v) AS s FROM t;
SELECT COUNT(*) AS n, c FROM (SELECT k, COUNT(*) AS c FROM t GROUP BY k) GROUP BY c;
-- a filter and a projection pass kinds through; an update across the filter border loses half of its pair
SELECT id, v FROM t WHERE v >= 15;
