-- REGEXP_REPLACE takes the replacement literally: $1 is no reference to a group
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['ab-cd']
SELECT REGEXP_REPLACE(s, '(a)(b)', '$2$1') AS a, REGEXP_REPLACE(s, '-', '\$') AS b FROM t;
