-- USING columns of types that do not compare
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, rv STRING, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
SELECT 1 AS x FROM l JOIN (SELECT TRUE AS k FROM r) AS s USING (k);
