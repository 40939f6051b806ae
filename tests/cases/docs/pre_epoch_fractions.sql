-- defect: below 1970 a fraction of a second shifts casts and fields to the next second or day
CREATE TABLE t (ts TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data t
--! +I['1969-12-31 23:59:59.999']
--! +I['1969-12-31 23:59:59']
--! +I['1969-06-15 12:00:00.500']
SELECT CAST(ts AS DATE) AS d, CAST(ts AS TIME) AS t, CAST(ts AS TIMESTAMP(0)) AS t0, CAST(ts AS STRING) AS s, EXTRACT(YEAR FROM ts) AS y, EXTRACT(SECOND FROM ts) AS sec, FLOOR(ts TO SECOND) AS fs, CEIL(ts TO SECOND) AS cs, FLOOR(ts TO DAY) AS fd FROM t;
