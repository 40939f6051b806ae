-- IN and EXISTS over changelogs: duplicates, NULL keys, retractions
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
SELECT lv FROM l WHERE k IN (SELECT k FROM r);
SELECT lv FROM l WHERE k IN (SELECT w - 4 FROM r WHERE rv <> 'q');
SELECT lv FROM l WHERE EXISTS (SELECT * FROM r WHERE r.k = l.k AND w > 4);
SELECT lv FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND r.w > l.k + 3);
SELECT lv FROM l WHERE k IN (SELECT k FROM r) AND lv = 'a';
SELECT lv FROM l WHERE (k, lv) IN (SELECT k, rv FROM r);
SELECT lv FROM l WHERE EXISTS (SELECT 1 FROM r WHERE w > 8);
