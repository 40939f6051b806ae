-- INTERSECT ALL and EXCEPT ALL of appended rows; other types on both sides; behind them an aggregate; several of them
CREATE TABLE l (k INT NOT NULL, v STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k BIGINT, w STRING) WITH ('connector' = 'inline');
--! data l
--! +I[1, 'a']
--! +I[1, 'a']
--! data r
--! +I[1, 'a']
--! +I[2, NULL]
--! data l
--! +I[2, NULL]
--! data r
--! +I[1, 'a']
--! +I[1, 'a']
SELECT k, v FROM l INTERSECT ALL SELECT k, w FROM r;
SELECT k, v FROM l EXCEPT ALL SELECT k, w FROM r;
SELECT v, COUNT(*) AS c FROM (SELECT v FROM l INTERSECT ALL SELECT w FROM r) GROUP BY v;
SELECT v FROM l EXCEPT ALL SELECT w FROM r INTERSECT ALL SELECT v FROM l;
SELECT k FROM l EXCEPT ALL (SELECT k FROM r WHERE w IS NULL);
