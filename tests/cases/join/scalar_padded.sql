-- correlated subqueries as values without a row: COALESCE, COUNT, CASE over them; in a WHERE beside others
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[2, 'b']
--! +I[NULL, 'n']
--! data r
--! +I[1, 10]
--! +I[NULL, 30]
--! +I[1, 5]
--! -D[1, 10]
--! -D[1, 5]
SELECT lv, (SELECT COALESCE(MAX(w), 0) FROM r WHERE r.k = l.k) AS m FROM l;
SELECT lv, (SELECT MIN(w) + 1 FROM r WHERE k = l.k AND w > 5) AS b FROM l;
SELECT lv FROM l WHERE (SELECT SUM(w) FROM r WHERE r.k = l.k) > 5 OR lv = 'b';
