-- join keys that are computed, and of different types
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
SELECT lv, rv FROM l JOIN r ON l.k + 1 = r.k;
SELECT lv, rv FROM l LEFT JOIN r ON l.k = r.k - 1 AND w > 0;
SELECT lv, rv FROM l JOIN r ON l.k = CAST(r.w AS BIGINT) - 4;
SELECT lv, rv FROM l JOIN r ON UPPER(lv) = UPPER(rv) AND l.k = r.k;
SELECT lv, rv FROM l JOIN r ON l.k = r.k AND l.k = 1;
SELECT UPPER(lv) || rv AS t, l.k * 2 AS d FROM l JOIN r ON l.k = r.k OR lv = rv;
