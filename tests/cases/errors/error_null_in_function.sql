-- a bare NULL as an argument
SELECT COUNT(NULL) AS c FROM (VALUES (1)) AS v (i);
