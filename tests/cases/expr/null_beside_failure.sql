-- What is computed with NULL is NULL in an operator, whatever fails beside it.
CREATE TABLE a (i INT, y INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 1]
--! +I[1, 0]
SELECT CAST(NULL AS INT) + y / y AS x1, y / y * CAST(NULL AS INT) AS x2, CAST(NULL AS INT) = y / y AS x3, CAST(NULL AS STRING) LIKE CAST(y / y AS STRING) AS x4 FROM a;
