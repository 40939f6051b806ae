-- IN with a subquery as a value: a literal is looked for
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline');
--! data l
--! +I[1, 'a']
--! data r
--! +I[1, 10]
--! data l
--! +I[2, 'b']
SELECT lv FROM l WHERE 1 IN (SELECT k FROM r) OR lv = 'b';
