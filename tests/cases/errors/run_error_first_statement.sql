-- a failing job ends the case: results before it are kept, statements after it do not run
CREATE TABLE t (i INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
--! +I[0]
SELECT i FROM t;
SELECT 1 / i AS q FROM t;
SELECT i + 1 AS x FROM t;
