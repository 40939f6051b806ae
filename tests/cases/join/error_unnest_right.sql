-- UNNEST on the left of a RIGHT JOIN
CREATE TABLE t (id INT, tags ARRAY<STRING>) WITH ('connector' = 'inline');
SELECT id, tag FROM t RIGHT JOIN UNNEST(tags) AS u (tag) ON TRUE;
