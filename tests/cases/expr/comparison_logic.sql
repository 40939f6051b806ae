-- three-valued logic: AND, OR, NOT, IS [NOT] TRUE/FALSE/UNKNOWN over all nine pairs; comparisons with NULL
CREATE TABLE t (a BOOLEAN, b BOOLEAN) WITH ('connector' = 'inline');
--! data t
--! +I[TRUE, TRUE]
--! +I[TRUE, FALSE]
--! +I[TRUE, NULL]
--! +I[FALSE, TRUE]
--! +I[FALSE, FALSE]
--! +I[FALSE, NULL]
--! +I[NULL, TRUE]
--! +I[NULL, FALSE]
--! +I[NULL, NULL]
SELECT a AND b AS an, a OR b AS o, NOT a AS na, a = b AS eq, a <> b AS ne, a IS DISTINCT FROM b AS idf, a IS NOT DISTINCT FROM b AS indf FROM t;
SELECT a IS TRUE AS it, a IS NOT TRUE AS nt, a IS FALSE AS f, a IS NOT FALSE AS nf, a IS UNKNOWN AS u, a IS NOT UNKNOWN AS nu, a IS NULL AS n, a > b AS gt, a >= b AS ge FROM t;
SELECT a FROM t WHERE a OR b;
SELECT a FROM t WHERE NOT (a AND b);
SELECT b FROM t WHERE a IS NOT TRUE AND b IS NOT FALSE;
SELECT CASE WHEN a THEN 'yes' ELSE 'no' END AS c, a AND TRUE AS atr, a OR TRUE AS ot, a AND FALSE AS af FROM t;
