-- what stands above joins: groups, DISTINCT, views, subqueries, WITH
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, rv STRING, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[1, 'b']
--! +I[NULL, 'n']
--! data r
--! +I[1, 'x', 5]
--! +I[NULL, 'm', 1]
--! +I[1, 'x', 5]
--! +I[2, 'y', 7]
--! data l
--! -U[1, 'a']
--! +U[2, 'a']
--! +I[2, 'a']
--! data r
--! -D[1, 'x', 5]
--! -U[2, 'y', 7]
--! +U[2, 'y', 3]
--! data l
--! -D[1, 'b']
--! -D[NULL, 'n']
--! data r
--! -D[1, 'x', 5]
--! +I[3, 'z', 9]
--! data l
--! -D[2, 'a']
--! -D[2, 'a']
--! data r
--! -D[NULL, 'm', 1]
CREATE VIEW j AS SELECT l.k, lv, rv, w FROM l LEFT JOIN r ON l.k = r.k;
SELECT k, COUNT(rv) AS c, SUM(w) AS s FROM j GROUP BY k;
SELECT DISTINCT lv FROM j;
SELECT lv, m FROM l JOIN (SELECT k, MAX(w) AS m FROM r GROUP BY k) AS x ON l.k = x.k;
WITH c AS (SELECT k, COUNT(*) AS n FROM l GROUP BY k) SELECT c.k, n, rv FROM c LEFT JOIN r ON c.k = r.k;
SELECT a.k, a.n, b.m FROM (SELECT k, COUNT(*) AS n FROM l GROUP BY k) a FULL JOIN (SELECT k, COUNT(*) AS m FROM r GROUP BY k) b ON a.k = b.k;
SELECT lv FROM l JOIN r ON l.k = r.k UNION ALL SELECT rv FROM r;
