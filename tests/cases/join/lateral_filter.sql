-- LATERAL: rows, sums and counts for each row
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[2, 'b']
--! data r
--! +I[1, 10]
--! +I[1, 30]
--! +I[2, 5]
--! data l
--! +I[1, 'a']
--! +I[NULL, 'n']
--! data r
--! -D[1, 30]
--! data l
--! -D[1, 'a']
SELECT lv, w FROM l, LATERAL (SELECT w FROM r WHERE r.k = l.k);
SELECT lv, w FROM l LEFT JOIN LATERAL (SELECT w FROM r WHERE r.k = l.k) AS x ON TRUE;
SELECT lv, s FROM l, LATERAL (SELECT SUM(w) AS s FROM r WHERE r.k = l.k);
SELECT lv, c FROM l LEFT JOIN LATERAL (SELECT COUNT(*) AS c FROM r WHERE r.k = l.k) AS x ON TRUE;
SELECT lv, w FROM l, LATERAL (SELECT w FROM r);
SELECT lv, w FROM l, LATERAL (SELECT w FROM r WHERE r.w > l.k);
