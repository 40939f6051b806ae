-- UNNEST with INNER JOIN on a condition over both sides
CREATE TABLE t (id INT, tags ARRAY<STRING>, nums ARRAY<INT>) WITH ('connector' = 'inline');
SELECT id, n FROM t INNER JOIN UNNEST(nums) AS u (n) ON n = id;
