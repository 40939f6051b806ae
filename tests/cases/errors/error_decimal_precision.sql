-- a DECIMAL wider than 38: CREATE TABLE takes it, the first query does not
CREATE TABLE t (a DECIMAL(39, 0)) WITH ('connector' = 'inline');
SELECT a FROM t;
