-- LIKE with an option that both have
CREATE TABLE base (a INT) WITH ('connector' = 'inline');
CREATE TABLE t WITH ('connector' = 'print') LIKE base (INCLUDING OPTIONS);
