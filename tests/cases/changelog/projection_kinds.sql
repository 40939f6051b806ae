-- a projection hands kinds on, also when an update's two rows became equal; nothing is deduplicated
CREATE TABLE t (id INT, k STRING, v INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 'a', 1]
--! -U[1, 'a', 1]
--! +U[1, 'a', 2]
--! +I[2, 'a', 2]
--! -D[1, 'a', 2]
SELECT k FROM t;
SELECT v * 10 AS w, UPPER(k) AS u FROM t;
SELECT 1 AS uno FROM t;
