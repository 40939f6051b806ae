-- Subqueries as values that compare with the query around them otherwise than by equality
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[20, 'b']
--! data r
--! +I[1, 10]
--! +I[1, 30]
--! +I[2, 5]
--! data l
--! +I[1, 'c']
--! +I[NULL, 'n']
--! data r
--! -D[1, 30]
SELECT lv, (SELECT SUM(w) FROM r WHERE r.w > l.k) AS s FROM l;
SELECT lv, (SELECT COUNT(*) FROM r WHERE r.w > l.k) AS c FROM l;
SELECT lv FROM l WHERE k < (SELECT MAX(w) FROM r WHERE r.w <> l.k);
SELECT lv, EXISTS (SELECT * FROM r WHERE r.w > l.k) AS e FROM l;
