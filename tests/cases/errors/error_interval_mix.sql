-- a number plus an interval
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT a + INTERVAL '1' DAY AS x FROM t;
