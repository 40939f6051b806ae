-- a subquery as a value that yields two rows
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline');
--! data l
--! +I[1, 'a']
--! data r
--! +I[1, 10]
--! +I[1, 20]
SELECT lv, (SELECT w FROM r WHERE k = 1) AS m FROM l;
