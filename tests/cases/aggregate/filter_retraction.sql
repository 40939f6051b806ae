-- an aggregate's FILTER under retraction; a row whose FILTER is UNKNOWN does not count
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 1]
--! -U['a', 1]
--! +U['a', 11]
--! +I['a', NULL]
--! +I['a', 20]
--! -D['a', 11]
--! -D['a', NULL]
--! -D['a', 20]
SELECT k, COUNT(*) FILTER (WHERE v > 10) AS c, SUM(v) FILTER (WHERE v > 10) AS s, MAX(v) FILTER (WHERE v < 10) AS m FROM t GROUP BY k;
SELECT k, COUNT(*) FILTER (WHERE v IS NULL) AS n, COUNT(*) FILTER (WHERE FALSE) AS never FROM t GROUP BY k;
