-- IN with a subquery as a value where nothing can be NULL, of literals, of expressions, of several columns
CREATE TABLE l (k INT NOT NULL, j INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT NOT NULL, j BIGINT, w INT) WITH ('connector' = 'inline');
--! data l
--! +I[1, 5, 'a']
--! data r
--! +I[1, 5, 10]
--! data l
--! +I[2, NULL, 'b']
--! data r
--! +I[2, 6, 20]
--! +I[2, NULL, 21]
SELECT lv, k IN (SELECT k FROM r) AS b FROM l;
SELECT lv, k NOT IN (SELECT k FROM r) AS b FROM l;
SELECT lv FROM l WHERE k IN (SELECT k FROM r) OR lv = 'b';
SELECT lv FROM l WHERE k NOT IN (SELECT k FROM r) OR lv = 'b';
SELECT lv FROM l WHERE k + 1 IN (SELECT k + 1 FROM r) OR lv = 'b';
SELECT lv FROM l WHERE j IN (SELECT j FROM r) OR lv = 'b';
SELECT lv, j IN (SELECT j FROM r) AS b FROM l;
