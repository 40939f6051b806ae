-- INTERSECT ALL of different widths
CREATE TABLE l (k INT, v STRING) WITH ('connector' = 'inline');
SELECT k, v FROM l INTERSECT ALL SELECT k FROM l;
