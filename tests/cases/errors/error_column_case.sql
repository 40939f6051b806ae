-- column names are case sensitive; the message guesses what was meant
CREATE TABLE t (userId INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
SELECT userid FROM t;
