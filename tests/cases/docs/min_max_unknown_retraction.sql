-- defect: a value retracted before it came leaves MIN and MAX at odds with COUNT(DISTINCT): at row 4 the 9 cancels out, and MAX says 9
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 5]
--! +I['a', 3]
--! -D['a', 9]
--! +I['a', 9]
--! +I['a', 9]
--! +I['a', 4]
--! -D['a', 1]
--! +I['a', 2]
SELECT k, MIN(v) AS mi, MAX(v) AS ma, COUNT(*) AS c, COUNT(DISTINCT v) AS d FROM t GROUP BY k;
