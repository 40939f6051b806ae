-- UNNEST with a condition
CREATE TABLE t (id INT, tags ARRAY<STRING>) WITH ('connector' = 'inline');
--! data t
--! +I[1, ['x', 'y']]
SELECT id, tag FROM t INNER JOIN UNNEST(tags) AS u (tag) ON tag = 'x';
SELECT id, tag FROM t LEFT JOIN UNNEST(tags) AS u (tag) ON tag = 'x';
