-- SUM whose non-NULL values were all retracted is NULL again (not 0), while the group still has rows
CREATE TABLE t (k STRING, v INT, d DOUBLE, de DECIMAL(5, 1)) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', NULL, NULL, NULL]
--! +I['a', 5, 0.1, 0.1]
--! +I['a', 6, 0.2, 0.2]
--! -D['a', 5, 0.1, 0.1]
--! -D['a', 6, 0.2, 0.2]
--! -D['a', NULL, NULL, NULL]
SELECT k, SUM(v) AS s, SUM(d) AS d, SUM(de) AS de, AVG(v) AS a, MIN(v) AS mi, COUNT(v) AS c FROM t GROUP BY k;
SELECT k, SUM(v) AS s FROM t GROUP BY k;
SELECT k, SUM(de) AS de, AVG(de) AS av FROM t GROUP BY k;
