-- LATERAL: other comparisons, ON with a condition, several subqueries
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[2, 'b']
--! data r
--! +I[1, 10]
--! +I[1, 30]
--! +I[2, 5]
--! data l
--! +I[1, 'c']
--! data r
--! -D[1, 30]
SELECT lv, x.w FROM l JOIN LATERAL (SELECT w FROM r WHERE r.k = l.k) AS x ON x.w > 5;
SELECT lv, x.w FROM l LEFT JOIN LATERAL (SELECT w FROM r WHERE r.k = l.k) AS x ON x.w > 5;
SELECT lv, x.s, y.m FROM l, LATERAL (SELECT SUM(w) AS s FROM r WHERE r.k = l.k) AS x, LATERAL (SELECT MAX(w) AS m FROM r WHERE r.k = l.k) AS y;
SELECT lv, x.w2 FROM l, LATERAL (SELECT w * 2 AS w2 FROM r WHERE r.k = l.k AND w > 1) AS x WHERE x.w2 > 10;
