-- POSITION, LOCATE, INSTR, REPLACE, OVERLAY, SPLIT_INDEX, concatenation
CREATE TABLE t (s STRING, p STRING) WITH ('connector' = 'inline');
--! data t
--! +I['banana', 'an']
--! +I['a,b,,c', ',']
--! +I['', '']
--! +I['abc', '']
--! +I['äbc', 'c']
--! +I[NULL, 'a']
--! +I['abc', NULL]
SELECT POSITION(p IN s) AS po, LOCATE(p, s) AS lo, LOCATE(p, s, 3) AS lo3, INSTR(s, p) AS ins, REPLACE(s, p, '-') AS re FROM t;
SELECT OVERLAY(s PLACING 'XX' FROM 2) AS a, OVERLAY(s PLACING 'XX' FROM 2 FOR 1) AS b, OVERLAY(s PLACING 'XYZ' FROM 3 FOR 10) AS c FROM t;
SELECT SPLIT_INDEX(s, ',', 0) AS a, SPLIT_INDEX(s, ',', 2) AS b, SPLIT_INDEX(s, ',', 3) AS c, SPLIT_INDEX(s, ',', 9) AS d, SPLIT_INDEX(s, p, 1) AS e, SPLIT_INDEX(s, ',', -1) AS f FROM t;
SELECT s || p AS cat, s || '-' || p AS cat3, CONCAT(s, p, '!') AS co, CONCAT_WS(',', s, p, 'z') AS cw, CONCAT_WS(p, s, 'z') AS cwp, 'n' || CAST(1 AS STRING) AS num FROM t;
