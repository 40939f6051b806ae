-- MAP_ENTRIES to MAP_VALUES, STR_TO_MAP, SPLIT, REGEXP_EXTRACT_ALL
CREATE TABLE t (id INT, m MAP<STRING, INT>, mi MAP<INT, STRING>, s STRING, a ARRAY<INT>) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data t
--! +I[1, {'a': 1, 'b': NULL}, {5: 'x', 17: 'y', 1: 'z'}, 'hello', [1, 2]]
--! +I[2, NULL, NULL, NULL, NULL]
--! +I[3, {}, {}, '', []]
--! +I[4, {'k1': 1, 'k2': 2, 'k3': 3}, {2: NULL}, 'a=1,b=2,=,c', [3, NULL]]
SELECT id, MAP_KEYS(m) AS c8, MAP_VALUES(m) AS c9, MAP_ENTRIES(m) AS c10, MAP_UNION(m, MAP['a', 9, 'zz', 3, 'q', 4]) AS c12, MAP_UNION(mi, MAP[33, 'w', 2, 'v']) AS c13, MAP_UNION(m) AS c14, MAP_KEYS(MAP['p', 1]) AS c15, mi[17] AS c16, MAP_UNION(m, MAP['a', 0], MAP['k1', 7, 'b', 8]) AS c17 FROM t;
SELECT id, MAP_FROM_ARRAYS(ARRAY[20, 3, 40], ARRAY['p', 'q', 'r']) AS c1, MAP_FROM_ARRAYS(ARRAY['x', 'y'], a) AS c2, MAP_FROM_ARRAYS(ARRAY['x', 'x'], a) AS c3 FROM t WHERE id <> 3;
SELECT id, SPLIT('héllo', '') AS c1, SPLIT(s, 'l') AS c2, SPLIT(s, '') AS c3, SPLIT(s, ',') AS c4, STR_TO_MAP('zeta=1,alpha=2,zeta=3,=x,y=') AS c5, STR_TO_MAP('') AS c6, STR_TO_MAP(s) AS c7, STR_TO_MAP('a:1;b:2', ';', ':') AS c8, STR_TO_MAP('a1b22', '[a-z]', 'x') AS c9, REGEXP_EXTRACT_ALL('a1b22', '(\d+)') AS c10, REGEXP_EXTRACT_ALL('a1b22', '([a-z])(\d+)', 2) AS c11, REGEXP_EXTRACT_ALL(s, '[a-z]', 0) AS c12, REGEXP_EXTRACT_ALL('abc', '(') AS c13, REGEXP_EXTRACT_ALL('abc', 'b', 3) AS c14, REGEXP_EXTRACT_ALL('abc', 'z', 0) AS c15 FROM t;
