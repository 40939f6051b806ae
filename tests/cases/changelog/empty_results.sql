-- conditions that are never true: no rows; a branch of a UNION ALL that is empty
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1]
--! +I['b', 2]
SELECT k FROM t WHERE FALSE;
SELECT k FROM t WHERE v = 1 AND v = 2;
SELECT COUNT(*) AS c FROM t WHERE 1 = 2;
SELECT k, COUNT(*) AS c FROM t WHERE CAST(NULL AS BOOLEAN) GROUP BY k;
SELECT k FROM t WHERE FALSE UNION ALL SELECT k FROM t WHERE v = 2;
SELECT k FROM t WHERE k IS NULL AND k = 'a';
