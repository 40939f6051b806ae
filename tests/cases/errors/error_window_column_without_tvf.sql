-- window_start where there is no window
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
SELECT window_start, COUNT(*) AS c FROM t GROUP BY window_start;
