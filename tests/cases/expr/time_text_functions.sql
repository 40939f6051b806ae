-- DATE_FORMAT, TO_TIMESTAMP, TO_DATE, UNIX_TIMESTAMP(string), FROM_UNIXTIME with and without formats; what does not parse is NULL
CREATE TABLE t (s STRING, ts TIMESTAMP(3), n BIGINT) WITH ('connector' = 'inline');
--! data t
--! +I['2024-02-03 04:05:06', '2024-02-03 04:05:06.789', 1706932206]
--! +I['2024-02-03', '2024-12-31 23:59:59', 0]
--! +I['03/02/2024', '1970-01-01 00:00:00', -1]
--! +I['garbage', NULL, 253402300799]
--! +I['', NULL, NULL]
--! +I[NULL, NULL, NULL]
SELECT DATE_FORMAT(ts, 'yyyy-MM-dd HH:mm:ss.SSS') AS a, DATE_FORMAT(ts, 'dd/MM/yy') AS b, DATE_FORMAT(ts, 'EEE MMM d') AS c, DATE_FORMAT(ts, 'hh:mm a') AS d, DATE_FORMAT(ts, 'yyyyMMdd') AS e, DATE_FORMAT(ts, '''q''Q') AS f FROM t;
SELECT TO_TIMESTAMP(s) AS a, TO_TIMESTAMP(s, 'yyyy-MM-dd') AS c, TO_DATE(s) AS d FROM t;
SELECT TO_DATE(s, 'dd/MM/yyyy') AS e FROM t WHERE s LIKE '%/%' OR s IS NULL;
SELECT TO_TIMESTAMP(s, 'dd/MM/yyyy') AS b FROM t WHERE s LIKE '%/%' OR s = 'garbage' OR s IS NULL;
SELECT UNIX_TIMESTAMP(s) AS a, UNIX_TIMESTAMP(s, 'yyyy-MM-dd') AS b, FROM_UNIXTIME(n) AS c, FROM_UNIXTIME(n, 'yyyy/MM/dd HH') AS d FROM t WHERE s <> 'garbage' AND s <> '';
SELECT DATE_FORMAT(s, 'yyyy') AS a FROM t WHERE s LIKE '2024-02-03 %';
SELECT TO_TIMESTAMP_LTZ(n, 0) AS a, TO_TIMESTAMP_LTZ(n, 3) AS b FROM t;
