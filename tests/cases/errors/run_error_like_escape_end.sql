-- LIKE with an escape character at the end of its pattern
CREATE TABLE t (s STRING, p STRING) WITH ('connector' = 'inline');
--! data t
--! +I['a', 'a%']
--! +I['a', 'a#']
SELECT s FROM t WHERE s LIKE p ESCAPE '#';
