-- IN with a subquery in the list of a SELECT: TRUE, FALSE and NULL
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! data r
--! +I[1, 10]
--! data l
--! +I[NULL, 'n']
--! +I[2, 'b']
--! data r
--! +I[NULL, 10]
--! +I[2, 20]
--! -D[1, 10]
--! -D[NULL, 10]
--! -D[2, 20]
SELECT lv, k IN (SELECT k FROM r) AS b FROM l;
SELECT lv, k NOT IN (SELECT k FROM r) AS b FROM l;
SELECT lv, CASE WHEN k IN (SELECT k FROM r WHERE w < 15) THEN 'in' ELSE 'out' END AS b FROM l;
