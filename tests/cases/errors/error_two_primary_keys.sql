-- two primary keys
CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, b INT, PRIMARY KEY (b) NOT ENFORCED) WITH ('connector' = 'inline');
