-- All arguments of a function are computed, also behind a NULL.
CREATE TABLE a (i INT, y INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data a
--! +I[1, 1]
--! +I[1, 0]
SELECT GREATEST(CAST(NULL AS INT), y / y) AS x FROM a;
