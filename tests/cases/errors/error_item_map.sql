-- A map's value by a key of another type
CREATE TABLE t (id INT, a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>, j STRING) WITH ('connector' = 'inline');
--! data t
--! +I[1, [3, NULL], {'b': 1, 'a': NULL}, (1, NULL), '{"b": [1, 2.50, null], "a": {"c": "d"}}']
SELECT m[1] AS c FROM t;
