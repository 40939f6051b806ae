-- BINARY, VARBINARY and BYTES: text, casts to and from STRING, cutting and padding, comparison, concatenation
CREATE TABLE t (a BINARY(2), b VARBINARY(3), c BYTES, s STRING) WITH ('connector' = 'inline');
--! data t
--! +I[X'0102', X'616263', X'c3a4', 'ab']
--! +I[X'ffff', X'', X'', '']
--! +I[NULL, NULL, NULL, NULL]
SELECT a, b, c FROM t;
SELECT CAST(b AS STRING) AS x, CAST(s AS BYTES) AS y, CAST(s AS BINARY(3)) AS z, CAST(b AS BINARY(4)) AS w, CAST(b AS VARBINARY(2)) AS v, CAST(c AS STRING) AS u FROM t;
SELECT b = X'616263' AS eq, c > X'c3' AS gt, b IS NULL AS n FROM t;
SELECT b, COUNT(*) AS n FROM t GROUP BY b;
