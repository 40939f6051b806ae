-- an option that the connector does not have
CREATE TABLE t (a INT) WITH ('connector' = 'inline', 'nonsense' = '1');
SELECT a FROM t;
