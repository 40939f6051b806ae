-- WHERE over a number
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT a FROM t WHERE a + 1;
