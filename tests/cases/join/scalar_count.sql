-- COUNT of a correlated subquery
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[2, 'b']
--! +I[NULL, 'n']
--! data r
--! +I[1, 10]
--! +I[1, NULL]
--! -D[1, 10]
SELECT lv, (SELECT COUNT(*) FROM r WHERE r.k = l.k) AS n FROM l;
SELECT lv, (SELECT COUNT(w) + 1 FROM r WHERE r.k = l.k) AS n FROM l;
SELECT lv FROM l WHERE (SELECT COUNT(*) FROM r WHERE r.k = l.k) = 0;
