-- IN with a subquery as a value, of pairs
CREATE TABLE l (k INT, j INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, j INT, w INT) WITH ('connector' = 'inline');
--! data l
--! +I[1, 5, 'a']
--! data r
--! +I[1, 5, 10]
--! data l
--! +I[2, NULL, 'b']
--! data r
--! +I[2, 6, 20]
--! +I[2, NULL, 21]
SELECT lv FROM l WHERE (k, j) IN (SELECT k, j FROM r) OR lv = 'b';
SELECT lv, (k, j) IN (SELECT k, j FROM r) AS b FROM l;
