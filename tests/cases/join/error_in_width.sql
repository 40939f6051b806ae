-- IN with a query of two columns
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, rv STRING, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
SELECT lv FROM l WHERE k IN (SELECT k, w FROM r);
