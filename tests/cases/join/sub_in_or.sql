-- IN with a subquery below OR: NULL keys, duplicates, retractions on both sides
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[2, 'b']
--! +I[NULL, 'n']
--! +I[1, 'a']
--! data r
--! +I[1, 10]
--! +I[3, 30]
--! +I[1, 11]
--! +I[NULL, 0]
--! data l
--! -U[1, 'a']
--! +U[3, 'a']
--! -D[2, 'b']
--! data r
--! -D[1, 10]
--! -D[1, 11]
--! -D[NULL, 0]
--! -D[3, 30]
SELECT lv FROM l WHERE k IN (SELECT k FROM r) OR lv = 'b';
SELECT k, lv FROM l WHERE k NOT IN (SELECT k FROM r) OR lv = 'b';
SELECT k, lv FROM l WHERE lv = 'n' OR (k IN (SELECT k FROM r WHERE w > 10) AND lv <> 'x');
