-- CHAR(n) and VARCHAR(n) sink columns: by default nothing is cut or padded; the length enforcer trims and pads
CREATE TABLE t (s STRING, v VARCHAR(10)) WITH ('connector' = 'inline');
CREATE TABLE o (c CHAR(4), v VARCHAR(3)) WITH ('connector' = 'inline');
--! data t
--! +I['abcdef', 'abcdef']
--! +I['ab', 'ab']
--! +I[NULL, '']
INSERT INTO o SELECT s, v FROM t;
INSERT INTO o SELECT CAST(s AS CHAR(4)), CAST(v AS VARCHAR(3)) FROM t;
SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';
INSERT INTO o SELECT s, v FROM t;
