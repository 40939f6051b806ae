-- the group key is not in the output: rows of different groups look alike, and still go their own ways
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
--! +I['b', 1]
--! +I['a', 1]
--! +I['b', 1]
SELECT SUM(v) AS s FROM t GROUP BY k;
SELECT COUNT(*) AS c, 'same' AS x FROM t GROUP BY k;
SELECT MAX(v) AS m FROM t GROUP BY k;
