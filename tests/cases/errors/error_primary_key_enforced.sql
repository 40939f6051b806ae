-- a primary key without NOT ENFORCED
CREATE TABLE t (a INT, PRIMARY KEY (a)) WITH ('connector' = 'inline');
