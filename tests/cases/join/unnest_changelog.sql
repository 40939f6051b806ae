-- UNNEST of a column that changes, with a deleted row
CREATE TABLE t (id INT, tags ARRAY<STRING>) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, ['x', 'y']]
--! -U[1, ['x', 'y']]
--! +U[1, ['y']]
--! +I[2, []]
--! -D[1, ['y']]
--! -U[2, []]
--! +U[2, ['q', 'q']]
SELECT id, tag FROM t CROSS JOIN UNNEST(tags) AS u (tag);
SELECT id, tag FROM t LEFT JOIN UNNEST(tags) AS u (tag) ON TRUE;
SELECT tag, COUNT(DISTINCT id) AS c FROM t CROSS JOIN UNNEST(tags) AS u (tag) GROUP BY tag;
