-- IN with a subquery as a value that speaks of the query around it
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, v STRING) WITH ('connector' = 'inline');
--! data l
--! +I[1, 'a']
--! data r
--! +I[1, 'a']
--! data l
--! +I[2, 'b']
--! +I[NULL, 'n']
--! data r
--! +I[2, 'a']
--! +I[NULL, 'n']
SELECT k, lv FROM l WHERE k IN (SELECT k FROM r WHERE r.v = l.lv) OR lv = 'b';
