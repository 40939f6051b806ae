-- UNNEST of arrays that are made on the spot
CREATE TABLE t (id INT, tags ARRAY<STRING>) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, ['x', 'y']]
--! -U[1, ['x', 'y']]
--! +U[1, ['y']]
--! +I[2, []]
--! -D[1, ['y']]
--! -U[2, []]
--! +U[2, ['q', 'q']]
SELECT id, x FROM t CROSS JOIN UNNEST(ARRAY[1, 2]) AS u (x);
SELECT id, x FROM t CROSS JOIN UNNEST(ARRAY[id, id + 1]) AS u (x);
SELECT x FROM UNNEST(ARRAY['a', 'b']) AS u (x);

