-- SET takes effect for the statements after it, RESET undoes it; zones by name, by offset and UTC
CREATE TABLE t (l TIMESTAMP_LTZ(3)) WITH ('connector' = 'inline');
--! data t
--! +I['2024-01-01T00:00:00Z']
SELECT CAST(l AS STRING) AS s, CAST(l AS DATE) AS d FROM t;
SET 'table.local-time-zone' = 'America/Los_Angeles';
SELECT CAST(l AS STRING) AS s, CAST(l AS DATE) AS d, l FROM t;
SET 'table.local-time-zone' = 'GMT+05:30';
SELECT CAST(l AS STRING) AS s, CAST(l AS DATE) AS d, l FROM t;
RESET 'table.local-time-zone';
SELECT CAST(l AS STRING) AS s, CAST(l AS DATE) AS d FROM t;
