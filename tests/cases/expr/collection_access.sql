-- Parts of ARRAY, MAP and ROW: a[1], m['k'], r.f, r.*, CARDINALITY, ELEMENT, casts to text and among them
CREATE TABLE t (id INT, a ARRAY<INT>, m MAP<STRING, INT>, r ROW<x INT, y STRING>, s STRING, i INT NOT NULL, aa ARRAY<ARRAY<INT>>, rr ROW<p ROW<q ARRAY<STRING>>, v INT>) WITH ('connector' = 'inline', 'changelog-mode' = 'I');
--! data t
--! +I[1, [3, 1, NULL, 2, 1], {'a': 1, 'b': NULL}, (1, 'x'), 'a', 2, [[1, 2], [3]], ((['u', 'v']), 9)]
--! +I[2, NULL, NULL, NULL, NULL, 8, NULL, NULL]
--! +I[3, [], {}, (NULL, NULL), '', 0, [], (NULL, NULL)]
--! +I[4, [1, 2], {'': 5}, (3, NULL), '', -1, [NULL, []], ((NULL), 1)]
SELECT id, a[1] AS c1, a[3] AS c2, a[9] AS c3, a[i] AS c4, m['a'] AS c5, m['b'] AS c6, m['z'] AS c7, m[s] AS c8, r.x AS c9, t.r.y AS c10, aa[1][2] AS c11, CARDINALITY(a) AS c12, CARDINALITY(m) AS c13, ELEMENT(ARRAY[id]) AS c15, a AS c16, r AS c18 FROM t;
SELECT id, t.r.* FROM t;
SELECT id, r.*, rr.p.* FROM t WHERE id <> 2;
SELECT rr.p.q[1] AS c1, rr.p.q[i] AS c2, CARDINALITY(rr.p.q) AS c3, rr.v AS c4, MAP['k', a]['k'][1] AS c5, ARRAY[id, i][2] AS c6 FROM t;
SELECT CAST(a AS ARRAY<BIGINT>) AS c1, CAST(a AS ARRAY<STRING>) AS c2, CAST(m AS MAP<STRING, DOUBLE>) AS c3, CAST(r AS ROW<p BIGINT, q STRING>) AS c4, CAST(a AS STRING) AS c5, CAST(m AS STRING) AS c6, CAST(r AS STRING) AS c7, CAST(ROW(1, 'a') AS ROW<a INT, b STRING>) AS c9, CAST(ARRAY[1, 2] AS ARRAY<STRING>) AS c10, CAST(aa AS STRING) AS c11, CAST(a AS VARCHAR(5)) AS c12 FROM t;
SELECT id, a <> ARRAY[1] AS c2, m = MAP['a', 1] AS c3, r = ROW(1, 'x') AS c4, r = (2, 'x') AS c5, a IS NULL AS c6, r IS NOT NULL AS c7, a = ARRAY[1, 2] AS c8, m = MAP['', 5] AS c9, r = ROW(3, CAST(NULL AS STRING)) AS c10, a = ARRAY[3, 1, NULL, 2, 1] AS c11 FROM t;
SELECT id FROM t WHERE CARDINALITY(a) > 1 AND m[s] = 5;
