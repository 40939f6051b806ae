-- AVG over a timestamp
CREATE TABLE t (ts TIMESTAMP(3)) WITH ('connector' = 'inline');
SELECT AVG(ts) AS m FROM t;
