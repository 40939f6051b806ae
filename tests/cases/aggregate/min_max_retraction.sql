-- MIN and MAX fall back to the next value when the current one is retracted, with equal values counted
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 5]
--! +I['a', 9]
--! +I['a', 9]
--! +I['a', 1]
--! -D['a', 9]
--! -D['a', 9]
--! -U['a', 1]
--! +U['a', 2]
--! -D['a', 5]
--! +I['a', NULL]
--! -D['a', 2]
--! +I['a', 3]
SELECT k, MIN(v) AS mi, MAX(v) AS ma FROM t GROUP BY k;
SELECT MAX(v) AS ma FROM t;
SELECT MAX(v) - MIN(v) AS spread FROM t;
