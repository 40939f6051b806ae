-- several mistakes in one query: Flink reports the first it finds
CREATE TABLE t (a INT, b STRING) WITH ('connector' = 'inline');
SELECT x, y + 1, NOPE(a) FROM t WHERE z > 1 GROUP BY q;
