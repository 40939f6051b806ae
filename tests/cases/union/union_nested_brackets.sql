-- brackets, ORDER of branches and WITH around UNION ALL
CREATE TABLE a (id INT) WITH ('connector' = 'inline');
CREATE TABLE b (id INT) WITH ('connector' = 'inline');
--! data a
--! +I[1]
--! data b
--! +I[2]
--! data a
--! +I[3]
(SELECT id FROM a) UNION ALL (SELECT id FROM b);
WITH u AS (SELECT id FROM a UNION ALL SELECT id FROM b), big AS (SELECT id FROM u WHERE id > 1) SELECT id, id * 2 AS dbl FROM big;
WITH u (x) AS (SELECT id FROM a) SELECT x FROM u UNION ALL (SELECT id FROM b UNION ALL SELECT x + 100 FROM u);
SELECT x.id FROM (SELECT id FROM a UNION ALL SELECT id FROM b) AS x;
SELECT * FROM (SELECT id FROM a UNION ALL SELECT id FROM b) AS x (y);
