-- names of result columns: EXPR$n by position, doubled names, quoted names, stars, qualified stars
CREATE TABLE t (a INT, `b c` STRING, `select` INT) WITH ('connector' = 'inline');
--! data t
--! +I[1, 'x', 2]
SELECT a, a + 1, 'lit', CAST(a AS STRING), UPPER(`b c`) FROM t;
SELECT a AS x, a AS x FROM t;
SELECT a, a FROM t;
SELECT *, a AS a0, `b c` || '!' AS `odd name` FROM t;
SELECT x.*, x.a + x.`select` AS s FROM t AS x;
SELECT t.a, `select` AS sel FROM t;
SELECT a aa, `b c` bc FROM t tt;
SELECT COUNT(*), SUM(a), MAX(a) AS m, COUNT(DISTINCT a) FROM t;
SELECT DISTINCT * FROM t;
