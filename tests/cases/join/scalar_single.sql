-- a subquery as a value that is no aggregate: it may yield one row
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[2, 'b']
--! data r
--! +I[1, 10]
--! -U[1, 10]
--! +U[1, 11]
--! +I[2, 20]
--! -D[2, 20]
--! data l
--! +I[3, 'c']
SELECT lv, (SELECT w FROM r WHERE k = 1) AS m FROM l;
SELECT lv FROM l WHERE k * 11 = (SELECT w FROM r WHERE k = 1);
SELECT lv, (SELECT w FROM r WHERE r.k = l.k) AS m FROM l;
