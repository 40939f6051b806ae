-- computed columns: they follow the physical ones they use, SELECT * has them in place, data lines have no value for them
CREATE TABLE t (
  a INT,
  twice AS a * 2,
  b STRING NOT NULL,
  label AS UPPER(b) || '-' || CAST(a AS STRING) COMMENT 'a label',
  four AS 2 + 2
) WITH ('connector' = 'inline');
CREATE TABLE u (id INT, v INT, d AS v * 10, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data t
--! +I[1, 'x']
--! +I[NULL, 'y']
--! data u
--! +I[1, 5]
--! +U[1, 6]
--! -D[1, NULL]
SELECT * FROM t;
SELECT label, twice + 1 AS t1 FROM t WHERE twice > 0;
SELECT four, COUNT(*) AS c FROM t GROUP BY four;
SELECT * FROM u;
SELECT d FROM u;
