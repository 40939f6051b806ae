-- IN with a subquery as a value over empty inputs
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline');
--! data r
--! +I[1, 10]
SELECT lv FROM l WHERE k IN (SELECT k FROM r) OR lv = 'b';
SELECT w, k NOT IN (SELECT k FROM l) AS b FROM r;
