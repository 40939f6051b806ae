-- scalar subqueries over keys and constants
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT NOT NULL, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! data r
--! +I[1, 5]
--! +I[2, 7]
--! data l
--! +I[2, 'b']
--! data r
--! -U[2, 7]
--! +U[2, 3]
--! -D[1, 5]
SELECT lv, (SELECT SUM(w) FROM r WHERE k > 1) AS s FROM l;
SELECT lv FROM l WHERE (SELECT COUNT(*) FROM r) > 1;
SELECT lv, (SELECT MAX(w) + 1 FROM r WHERE r.k = l.k) AS m FROM l;
