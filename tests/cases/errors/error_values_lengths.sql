-- VALUES of rows of different lengths
SELECT * FROM (VALUES (1, 2), (3)) AS v (a, b);
