-- UNNEST with ordinality
CREATE TABLE t (id INT, tags ARRAY<STRING>, m MAP<STRING, INT>, rs ARRAY<ROW<a INT, b STRING>>) WITH ('connector' = 'inline');
--! data t
--! +I[1, ['x', 'y'], {'k': 1}, [(1, 'one'), (2, NULL)]]
--! +I[2, [], {}, []]
--! +I[3, NULL, NULL, NULL]
SELECT id, tag, o FROM t CROSS JOIN UNNEST(tags) WITH ORDINALITY AS u (tag, o);
SELECT id, tag, o FROM t LEFT JOIN UNNEST(tags) WITH ORDINALITY AS u (tag, o) ON TRUE;
SELECT id, k, n, o FROM t CROSS JOIN UNNEST(m) WITH ORDINALITY AS u (k, n, o);
SELECT id, a, b, o FROM t CROSS JOIN UNNEST(rs) WITH ORDINALITY AS u (a, b, o);
