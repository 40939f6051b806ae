-- EXCEPT over types that do not fit
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, rv STRING, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
SELECT k FROM l EXCEPT SELECT TRUE FROM r;
