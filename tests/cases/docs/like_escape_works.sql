-- ESCAPE works for LIKE and SIMILAR TO, though the documentation says not yet; only the wildcards and the escape itself may follow it
CREATE TABLE t (s STRING) WITH ('connector' = 'inline');
--! data t
--! +I['50%']
--! +I['50x']
--! +I['5_0']
--! +I['a#b']
SELECT s, s LIKE '50#%' ESCAPE '#' AS a, s LIKE '_#__' ESCAPE '#' AS b, s LIKE 'a##b' ESCAPE '#' AS c, s SIMILAR TO '50#%' ESCAPE '#' AS d FROM t;
