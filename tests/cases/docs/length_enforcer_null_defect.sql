-- defect: with the length enforcer a NULL in a VARCHAR(n) sink column fails the job
SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';
CREATE TABLE t (v VARCHAR(4)) WITH ('connector' = 'inline');
CREATE TABLE o (v VARCHAR(4)) WITH ('connector' = 'inline');
--! data t
--! +I['abcdef']
--! +I[NULL]
INSERT INTO o SELECT v FROM t;
