-- an interval of three digits needs a precision
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT a, INTERVAL '100' HOUR AS i FROM t;
