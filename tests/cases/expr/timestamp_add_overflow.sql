-- Years and months are added as an INT of months, which overflows silently
CREATE TABLE t (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'inline');

--! data t
--! +I[1, '2024-01-01 00:00:00']

SELECT id, TIMESTAMPADD(YEAR, 2147483647, ts) AS y, TIMESTAMPADD(MONTH, -5, ts) AS m FROM t;
