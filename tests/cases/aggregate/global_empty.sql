-- a global aggregate over an updating input: deleted when the last row goes, +I when one comes; no row at all without input
CREATE TABLE t (v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1]
--! -D[1]
--! +I[NULL]
--! -U[NULL]
--! +U[4]
--! +I[5]
--! -D[4]
--! -D[5]
SELECT COUNT(*) AS c FROM t;
SELECT COUNT(v) AS c, SUM(v) AS s, MAX(v) AS m FROM t;
SELECT COUNT(*) AS c FROM t WHERE v > 100;
SELECT COUNT(*) + 1 AS c1, 'x' AS x FROM t;
SELECT COUNT(*) AS c FROM t HAVING COUNT(*) > 1;
