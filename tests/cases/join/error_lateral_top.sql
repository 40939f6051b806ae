-- LATERAL: the first row for each row
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT) WITH ('connector' = 'inline');
SELECT l.k, w FROM l, LATERAL (SELECT w FROM r WHERE r.k = l.k ORDER BY w DESC LIMIT 1) AS x;
