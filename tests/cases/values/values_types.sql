-- VALUES: the common type of its columns, names EXPR$n, NULLs, in WITH and FROM, filtered and aggregated
SELECT * FROM (VALUES (1, 'a'), (2, 'b'));
SELECT * FROM (VALUES (1, 'a', TRUE)) AS v (i, s, b);
WITH v (i, s) AS (VALUES (1, 'a'), (2, 'b'), (3, 'a')) SELECT s, SUM(i) AS t FROM v GROUP BY s;
SELECT i * 10 AS x FROM (VALUES (1), (2), (3)) AS v (i) WHERE i <> 2;
VALUES (1, 2), (3, 4);
SELECT COUNT(*) AS c, MIN(i) AS mi, MAX(i) AS ma, AVG(i) AS av FROM (VALUES (1), (2), (4)) AS v (i);
