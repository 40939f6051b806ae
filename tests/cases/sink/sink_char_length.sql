-- VARCHAR(n) and CHAR(n) sink columns: an implicit cast to another length cuts and pads; values too long or too short for their own type pass unless the length enforcer trims and pads
CREATE TABLE t (s STRING, v VARCHAR(10), c CHAR(2)) WITH ('connector' = 'inline');
CREATE TABLE o (a VARCHAR(4), b VARCHAR(3), c CHAR(5)) WITH ('connector' = 'inline');
CREATE TABLE same (a STRING, b VARCHAR(10), c CHAR(2)) WITH ('connector' = 'inline');
--! data t
--! +I['abcdef', 'abcdef', 'xy']
--! +I['äöüßé', 'ab', 'z']
--! +I[NULL, '', 'too long']
INSERT INTO o SELECT s, v, c FROM t;
INSERT INTO same SELECT s, v, c FROM t;
SET 'table.exec.sink.type-length-enforcer' = 'TRIM_PAD';
INSERT INTO same SELECT s, v, c FROM t;
