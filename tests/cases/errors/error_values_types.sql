-- VALUES without a common type
SELECT * FROM (VALUES (1), (TRUE)) AS v (a);
