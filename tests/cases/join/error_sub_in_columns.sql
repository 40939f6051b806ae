-- IN with a subquery as a value: one column against two
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline');
SELECT lv FROM l WHERE k IN (SELECT k, w FROM r) OR lv = 'b';
