-- UNNEST of a number
CREATE TABLE t (id INT, tags ARRAY<STRING>) WITH ('connector' = 'inline');
SELECT id, x FROM t CROSS JOIN UNNEST(id) AS u (x);
