-- WHERE above joins: what goes below, into the condition, and makes outer joins inner ones
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
SELECT lv, rv FROM l LEFT JOIN r ON l.k = r.k WHERE w > 4;
SELECT lv, rv FROM l LEFT JOIN r ON l.k = r.k WHERE lv = 'a';
SELECT lv, rv FROM l LEFT JOIN r ON l.k = r.k WHERE rv IS NULL;
SELECT lv, rv FROM l FULL JOIN r ON l.k = r.k WHERE lv IS NOT NULL;
SELECT lv, rv FROM l RIGHT JOIN r ON l.k = r.k WHERE l.k = 1 AND r.w > 4;
SELECT lv, rv FROM l JOIN r ON l.k = r.k WHERE lv < rv AND (lv = 'a' OR rv = 'y');
SELECT lv, rv FROM l JOIN r ON l.k = r.k WHERE l.k = 2;
