-- UNNEST of arrays: elements, NULLs, empty; LEFT JOIN; a filter on what comes out; an aggregate behind it
CREATE TABLE t (id INT, tags ARRAY<STRING>, nums ARRAY<INT NOT NULL> NOT NULL) WITH ('connector' = 'inline');
--! data t
--! +I[1, ['x', 'y'], [1, 2]]
--! +I[2, [], [3]]
--! +I[3, NULL, []]
--! +I[4, ['z', NULL, 'x'], [4, 4]]
SELECT id, tag FROM t CROSS JOIN UNNEST(tags) AS u (tag);
SELECT id, tag FROM t LEFT JOIN UNNEST(tags) AS u (tag) ON TRUE;
SELECT id, n FROM t, UNNEST(nums) AS u (n);
SELECT id, n FROM t INNER JOIN UNNEST(nums) AS u (n) ON TRUE;
SELECT id, n FROM t LEFT JOIN UNNEST(nums) AS u (n) ON TRUE;
SELECT id, tag FROM t, UNNEST(tags) AS u (tag) WHERE tag <> 'x' AND id > 1;
SELECT tag, COUNT(*) AS c FROM t, UNNEST(tags) AS u (tag) GROUP BY tag;
SELECT * FROM t CROSS JOIN UNNEST(tags) AS u (tag);
SELECT id, tag, n FROM t CROSS JOIN UNNEST(tags) AS u (tag) CROSS JOIN UNNEST(nums) AS w (n);
