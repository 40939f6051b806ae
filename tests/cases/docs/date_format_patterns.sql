-- DATE_FORMAT follows java.time's patterns and not SimpleDateFormat's: u is a year, YYYY a week-based one
CREATE TABLE t (ts TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data t
--! +I['2024-12-30 05:06:07.089']
SELECT DATE_FORMAT(ts, 'u') AS u, DATE_FORMAT(ts, 'yyyy YYYY') AS y, DATE_FORMAT(ts, 'D d') AS d, DATE_FORMAT(ts, 'H k h K') AS h, DATE_FORMAT(ts, 'S SS SSS SSSSSS') AS s, DATE_FORMAT(ts, 'e') AS e, DATE_FORMAT(ts, 'MMMM EEEE') AS m FROM t;
