-- defect: even whole seconds before 1970 make a wrong DATE and a negative second; what DATE itself does is right
CREATE TABLE t (ts TIMESTAMP(3), dt DATE) WITH ('connector' = 'inline');
--! data t
--! +I['1969-12-31 12:30:45', '1969-12-31']
--! +I['1969-12-31 00:00:00', '1900-02-28']
--! +I['1960-02-29 23:59:59', '0001-01-01']
SELECT CAST(ts AS DATE) AS d, CAST(ts AS TIME) AS t, EXTRACT(YEAR FROM ts) AS y, EXTRACT(DAY FROM ts) AS dd, EXTRACT(HOUR FROM ts) AS h, EXTRACT(MINUTE FROM ts) AS mi, EXTRACT(SECOND FROM ts) AS sec, FLOOR(ts TO HOUR) AS fh, FLOOR(ts TO MONTH) AS fm FROM t;
SELECT YEAR(dt) AS y, MONTH(dt) AS m, DAYOFMONTH(dt) AS d, DAYOFWEEK(dt) AS dow, dt + INTERVAL '1' DAY AS n, CAST(dt AS TIMESTAMP(3)) AS ts, dt < DATE '1970-01-01' AS lt FROM t;
