-- LIKE with % and _, ESCAPE, NOT LIKE, case, NULL, regex characters, newline; SIMILAR TO
CREATE TABLE t (s STRING, p STRING) WITH ('connector' = 'inline');
--! data t
--! +I['hello', 'h%']
--! +I['h%llo', 'h\%%']
--! +I['Hello', '_ello']
--! +I['h_l', 'h_l']
--! +I['a.c', 'a.c']
--! +I['abc', 'a.c']
--! +I['', '%']
--! +I[NULL, '%']
--! +I['x', NULL]
SELECT s LIKE 'h%' AS a, s LIKE '%l%' AS b, s LIKE 'h_l%' AS c, s LIKE 'hello' AS d, s LIKE '' AS e, s LIKE '%' AS f, s NOT LIKE 'h%' AS g FROM t;
SELECT s LIKE 'h#%%' ESCAPE '#' AS a, s LIKE 'h!_l' ESCAPE '!' AS b, s LIKE '%#%%' ESCAPE '#' AS c FROM t;
SELECT s LIKE p AS dyn, s NOT LIKE p AS ndyn FROM t;
SELECT s SIMILAR TO 'h(e|a)l+o' AS a, s SIMILAR TO '[a-h]%' AS b, s NOT SIMILAR TO '_ello' AS c FROM t;
SELECT s FROM t WHERE s LIKE '%.%' OR s LIKE '_';
