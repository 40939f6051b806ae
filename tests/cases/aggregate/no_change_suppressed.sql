-- an update that does not change the aggregate's row is not sent; -0.0 and NaN compare as Java's doubles do
CREATE TABLE t (k STRING, v INT, d DOUBLE) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 5, 0.0]
--! +I['a', 5, 0.0]
--! +I['a', 0, -0.0]
--! -U['a', 5, 0.0]
--! +U['a', 4, 0.0]
--! +I['a', NULL, NULL]
--! +I['a', 1, 'NaN']
--! +I['a', 1, 'Infinity']
SELECT k, MAX(v) AS m FROM t GROUP BY k;
SELECT k, SUM(v) AS s FROM t GROUP BY k;
SELECT k, COUNT(v) AS c FROM t GROUP BY k;
SELECT k, SUM(d) AS sd, MAX(d) AS md, MIN(d) AS nd FROM t GROUP BY k;
SELECT d, COUNT(*) AS c FROM t GROUP BY d;
