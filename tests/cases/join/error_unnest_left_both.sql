-- UNNEST with LEFT JOIN on a condition over both sides
CREATE TABLE t (id INT, nums ARRAY<INT>) WITH ('connector' = 'inline');
--! data t
--! +I[1, [1, 2]]
--! +I[2, [3]]
SELECT id, n FROM t LEFT JOIN UNNEST(nums) AS u (n) ON n = id;
