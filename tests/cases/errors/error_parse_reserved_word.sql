-- a reserved word as an alias: the message lists what could follow
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT a AS one FROM t;
