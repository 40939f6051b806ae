-- EXISTS and its negation as values: below OR, in the list of a SELECT, correlated and not, over a changelog, with NULL keys
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[2, 'b']
--! +I[NULL, 'n']
--! data r
--! +I[1, 10]
--! +I[1, 11]
--! +I[NULL, 5]
--! -D[1, 10]
--! -D[1, 11]
--! +I[2, 3]
--! data l
--! -D[2, 'b']
--! +I[1, 'c']
SELECT lv FROM l WHERE EXISTS (SELECT 1 FROM r WHERE r.k = l.k AND w > 3) OR lv = 'b';
SELECT lv, EXISTS (SELECT * FROM r WHERE r.k = l.k) AS e FROM l;
SELECT lv FROM l WHERE NOT EXISTS (SELECT w FROM r WHERE r.k = l.k) OR lv = 'c';
SELECT lv, CASE WHEN EXISTS (SELECT 1 FROM r WHERE w > 10) THEN 'yes' ELSE 'no' END AS e FROM l;
