-- UNNEST of maps and multisets
CREATE TABLE t (id INT, m MAP<STRING, INT>, v STRING) WITH ('connector' = 'inline');
--! data t
--! +I[1, {'k': 1, 'l': NULL}, 'a']
--! +I[2, {}, 'a']
--! +I[3, NULL, 'b']
--! +I[4, {'q': 7}, 'b']
SELECT id, k, n FROM t CROSS JOIN UNNEST(m) AS u (k, n);
SELECT id, k, n FROM t LEFT JOIN UNNEST(m) AS u (k, n) ON TRUE;
SELECT * FROM t CROSS JOIN UNNEST(m);
SELECT v, w FROM (SELECT v, COLLECT(v) AS c FROM t GROUP BY v) CROSS JOIN UNNEST(c) AS u (w);
