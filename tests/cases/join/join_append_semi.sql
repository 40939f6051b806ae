-- semi and anti joins over append-only inputs: a semi join only appends
CREATE TABLE l (k INT, v STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline');
--! data l
--! +I[1, 'a']
--! data r
--! +I[1, 1]
--! +I[1, 1]
--! data l
--! +I[1, 'b']
--! +I[NULL, 'n']
--! data r
--! +I[NULL, 2]
SELECT v FROM l WHERE k IN (SELECT k FROM r);
SELECT v FROM l WHERE NOT EXISTS (SELECT * FROM r WHERE r.k = l.k);
SELECT v FROM l WHERE k NOT IN (SELECT k FROM r);
