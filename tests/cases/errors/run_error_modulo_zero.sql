-- x % 0 fails the job in a filter too, and rows before it are kept
CREATE TABLE t (i INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[3]
--! +I[0]
SELECT COUNT(*) AS c FROM t WHERE 10 % i > 0;
