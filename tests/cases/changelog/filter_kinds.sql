-- WHERE looks at each row alone: an update across its border keeps only half of its pair, and UNKNOWN drops a row
CREATE TABLE t (id INT, v INT, ok BOOLEAN) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I[1, 5, TRUE]
--! -U[1, 5, TRUE]
--! +U[1, 15, TRUE]
--! -U[1, 15, TRUE]
--! +U[1, 25, FALSE]
--! -U[1, 25, FALSE]
--! +U[1, NULL, NULL]
--! -D[1, NULL, NULL]
SELECT id, v FROM t WHERE v > 10;
SELECT id, v FROM t WHERE NOT (v > 10);
SELECT id FROM t WHERE ok;
SELECT id FROM t WHERE ok IS NOT TRUE;
SELECT id FROM t WHERE TRUE;
SELECT id FROM t WHERE v > 10 OR ok IS NULL;
