-- LIKE with an ESCAPE of two characters
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['a']
SELECT s FROM t WHERE s LIKE 'a%' ESCAPE '##';
