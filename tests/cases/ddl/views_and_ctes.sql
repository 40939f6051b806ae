-- views of views, a view with column names, a temporary view, WITH that hides a table, WITH used twice, subqueries in FROM
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
--! +I['b', 20]
--! +I['a', 30]
CREATE VIEW big AS SELECT k, v FROM t WHERE v > 10;
CREATE VIEW named (x, y) AS SELECT k, v * 2 FROM big;
CREATE TEMPORARY VIEW agg AS SELECT k, SUM(v) AS s FROM t GROUP BY k;
SELECT * FROM named;
SELECT MAX(s) AS m FROM agg;
WITH t AS (SELECT 'w' AS k, v FROM big) SELECT * FROM t;
WITH a AS (SELECT k, v FROM t), b AS (SELECT k, COUNT(*) AS c FROM a GROUP BY k) SELECT k, c + 1 AS c1 FROM b;
SELECT q.k2 FROM (SELECT k AS k2 FROM (SELECT k FROM t WHERE v < 25) AS inner_q) AS q WHERE q.k2 <> 'z';
CREATE VIEW IF NOT EXISTS big AS SELECT 1 AS uno;
SELECT * FROM big;
DROP VIEW big;
