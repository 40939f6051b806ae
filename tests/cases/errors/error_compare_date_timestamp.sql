-- a DATE < a TIMESTAMP
CREATE TABLE t (d DATE, ts TIMESTAMP(3)) WITH ('connector' = 'inline');
SELECT d FROM t WHERE d < ts;
