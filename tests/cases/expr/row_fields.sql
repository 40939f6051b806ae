-- Fields of rows, also nested ones.
CREATE TABLE t (
  id INT,
  r ROW<a BIGINT, b STRING, n ROW<c INT, d TIMESTAMP(3)>>,
  s ROW<a INT NOT NULL> NOT NULL,
  twice AS r.a * 2
) WITH ('connector' = 'inline');

SELECT id, r.a, r.b, r.n.c AS c, t.r.n.d, t.s.a AS sa, twice FROM t;
SELECT id, r.n FROM t WHERE r.a > 5 AND r.n.c IS NULL;
SELECT r.a, COUNT(*) AS n, MAX(r.b) AS b FROM t GROUP BY r.a;
SELECT CASE id WHEN 1 THEN r.b ELSE CAST(s.a AS STRING) END AS v FROM t;
