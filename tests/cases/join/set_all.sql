-- INTERSECT ALL, EXCEPT ALL
CREATE TABLE l (k INT, v STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, w STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[1, 'a']
--! +I[2, 'b']
--! +I[NULL, NULL]
--! data r
--! +I[1, 'a']
--! +I[1, 'a']
--! +I[1, 'a']
--! +I[NULL, NULL]
--! +I[3, 'c']
--! -D[1, 'a']
--! -D[1, 'a']
--! data l
--! +I[1, 'a']
--! -D[1, 'a']
SELECT k, v FROM l INTERSECT ALL SELECT k, w FROM r;
SELECT k, v FROM l EXCEPT ALL SELECT k, w FROM r;
