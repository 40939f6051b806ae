-- FULL OUTER JOIN with a condition beside the key: duplicates, NULL keys, retractions
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
SELECT l.k AS lk, lv, r.k AS rk, rv, w FROM l FULL JOIN r ON l.k = r.k AND w > 4;
SELECT l.k AS lk, lv, r.k AS rk, rv, w FROM l FULL JOIN r ON l.k = r.k AND CHAR_LENGTH(lv) + w > 5;
SELECT lv, rv FROM l RIGHT JOIN r ON l.k = r.k AND lv <> rv AND lv = 'a';
