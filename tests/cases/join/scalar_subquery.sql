-- subqueries as values
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
SELECT lv FROM l WHERE k < (SELECT MAX(w) FROM r);
SELECT lv, (SELECT MAX(w) FROM r) AS m FROM l;
SELECT lv, (SELECT MAX(w) FROM r WHERE r.k = l.k) AS m FROM l;
SELECT lv FROM l WHERE k < (SELECT MAX(w) FROM r WHERE r.k = l.k);
