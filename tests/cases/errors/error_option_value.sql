-- an option of the wrong type
CREATE TABLE t (a INT) WITH ('connector' = 'inline', 'watermark.push-down' = 'perhaps');
SELECT a FROM t;
