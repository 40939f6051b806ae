-- a BOOLEAN compared with a string literal is FALSE, whatever the string says
CREATE TABLE t (bo BOOLEAN, s STRING) WITH ('connector' = 'inline');
--! data t
--! +I[TRUE, 'true']
--! +I[FALSE, 'FALSE']
SELECT bo = 'TRUE' AS a, bo = 'true' AS b, bo = 'false' AS c, bo <> 'true' AS d FROM t;
