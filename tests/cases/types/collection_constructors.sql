-- ARRAY, MAP and ROW: constructors, the types that they get, nesting, equal keys
CREATE TABLE t (id INT, s STRING, i INT NOT NULL, n DOUBLE, b BIGINT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 'hello', 7, 1.5, 5]
--! +I[2, NULL, 8, NULL, NULL]
--! -U[1, 'hello', 7, 1.5, 5]
--! +U[1, '', 0, -0.0, -1]
--! -D[2, NULL, 8, NULL, NULL]
SELECT id, ARRAY[id, i] AS c1, ARRAY[1, 2.5] AS c2, ARRAY['a', 'bcd'] AS c3, ARRAY[id, NULL] AS c4, ARRAY[b, n] AS c5, MAP['a', id, 'b', b] AS c6, MAP['k', ARRAY[1]] AS c7, ROW(id, s, 1) AS c8, (id, s) AS c9 FROM t;
SELECT ROW(1, ROW('a', 2)) AS c10, ARRAY[ROW(1, 'a'), ROW(2, 'bb')] AS c11, ARRAY[ARRAY[id], ARRAY[i, 1]] AS c12, MAP[1, 'a', 1, 'b'] AS c13, ARRAY[MAP['x', n]] AS c14, ROW(ARRAY[s], MAP[s, id]) AS c15 FROM t WHERE s IS NOT NULL;
SELECT s, COUNT(*) AS c, MAX(i) AS m FROM (SELECT ARRAY[id, i] AS s, i FROM t) GROUP BY s;
