-- DROP and CREATE again, IF EXISTS, IF NOT EXISTS keeps the first definition, temporary tables hide others, qualified and quoted names, comments
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
--! data t
--! +I[1]
CREATE TABLE IF NOT EXISTS t (a STRING, b STRING) WITH ('connector' = 'inline');
SELECT a + 1 AS x FROM t;
SELECT t.a FROM default_catalog.default_database.t;
SELECT a /* a comment */ AS `a b` -- another
FROM `default_database`.`t`;
DROP TABLE t;
DROP TABLE IF EXISTS t;
CREATE TABLE t (a BIGINT) WITH ('connector' = 'inline');
SELECT a FROM t;
CREATE TEMPORARY VIEW t AS SELECT 'hidden' AS a;
SELECT a FROM t;
DROP TEMPORARY VIEW t;
SELECT a FROM t;
