-- UNNEST of an array of rows, and of arrays in arrays
CREATE TABLE t (id INT, rs ARRAY<ROW<a INT, b STRING>>, aa ARRAY<ARRAY<INT>>) WITH ('connector' = 'inline');
--! data t
--! +I[1, [(1, 'one'), (2, NULL)], [[1, 2], []]]
--! +I[2, [NULL, (3, 'three')], [NULL]]
--! +I[3, NULL, NULL]
SELECT id, a, b FROM t CROSS JOIN UNNEST(rs) AS u (a, b);
SELECT id, a, b FROM t LEFT JOIN UNNEST(rs) AS u (a, b) ON TRUE;
SELECT id, u.a, u.b FROM t CROSS JOIN UNNEST(rs) AS u;
SELECT id, x FROM t CROSS JOIN UNNEST(aa) AS u (x);
SELECT id, y FROM t CROSS JOIN UNNEST(aa) AS u (x) CROSS JOIN UNNEST(x) AS w (y);
