-- UNNEST with too many names
CREATE TABLE t (id INT, tags ARRAY<STRING>) WITH ('connector' = 'inline');
SELECT id, x FROM t CROSS JOIN UNNEST(tags) AS u (x, y);
