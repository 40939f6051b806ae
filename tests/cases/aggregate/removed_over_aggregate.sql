-- the key of an inner GROUP BY is unique too: an outer SUM, MAX or DISTINCT over it vanishes, an outer COUNT stays
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
--! +I['a', 2]
--! +I['b', 2]
--! +I['a', 0]
SELECT k, MAX(s) AS m FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k) GROUP BY k;
SELECT DISTINCT k, s FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k);
SELECT DISTINCT s FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k);
SELECT k, COUNT(*) AS c FROM (SELECT k, SUM(v) AS s FROM t GROUP BY k) GROUP BY k;
SELECT MAX(s) AS m FROM (SELECT SUM(v) AS s FROM t);
SELECT s, COUNT(*) AS c FROM (SELECT COUNT(*) AS s FROM t) GROUP BY s;
