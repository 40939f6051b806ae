-- GROUP BY over a unique key: SUM, MIN and MAX and DISTINCT become a projection (-U and +U, not -D and +I); COUNT, AVG and FILTER stay aggregates
CREATE TABLE u (k STRING, w INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data u
--! +I['a', 1, 1]
--! +U['a', 1, 2]
--! +I['b', 1, 1]
--! +U['a', 2, NULL]
--! -D['a', NULL, NULL]
SELECT k, SUM(v) AS s FROM u GROUP BY k;
SELECT k, MAX(v) AS ma, MIN(w) AS mi FROM u GROUP BY k;
SELECT k, w, SUM(DISTINCT v) AS s FROM u GROUP BY k, w;
SELECT DISTINCT k, w FROM u;
SELECT k, COUNT(*) AS c FROM u GROUP BY k;
SELECT k, COUNT(v) AS c, MAX(v) AS m FROM u GROUP BY k;
SELECT k, AVG(v) AS a FROM u GROUP BY k;
SELECT k, SUM(v) FILTER (WHERE w = 1) AS s FROM u GROUP BY k;
SELECT k, MAX(v) AS m FROM u GROUP BY k HAVING MAX(v) > 1;
