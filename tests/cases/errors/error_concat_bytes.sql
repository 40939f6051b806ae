-- || over bytes passes validation and fails in the planner
CREATE TABLE t (b VARBINARY(3)) WITH ('connector' = 'inline');
SELECT b || X'00' AS c FROM t;
