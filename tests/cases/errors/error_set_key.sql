-- SET of a known key to a value of the wrong type shows at the next query
SET 'parallelism.default' = 'many';
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT a FROM t;
