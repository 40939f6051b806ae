-- UNNEST in a subquery, with a condition over both sides in WHERE, with an alias alone
CREATE TABLE t (id INT, tags ARRAY<STRING>, nums ARRAY<INT>) WITH ('connector' = 'inline');
--! data t
--! +I[1, ['x', 'y'], [1, 2]]
--! +I[2, [], [3]]
--! +I[3, NULL, []]
--! +I[4, ['z', NULL, 'x'], [4, 4]]
SELECT id, n FROM t, UNNEST(nums) AS u (n) WHERE n = id;
SELECT x, COUNT(*) AS c FROM (SELECT id, n AS x FROM t CROSS JOIN UNNEST(nums) AS u (n)) AS s GROUP BY x;
SELECT id, u FROM t CROSS JOIN UNNEST(nums) AS u;
