-- LIKE with a primary key that both have
CREATE TABLE base (a INT, PRIMARY KEY (a) NOT ENFORCED) WITH ('connector' = 'inline');
CREATE TABLE t (b INT, PRIMARY KEY (b) NOT ENFORCED) LIKE base;
