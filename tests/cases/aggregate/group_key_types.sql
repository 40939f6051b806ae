-- group keys of every type: equal values in any writing are one group, NULL is one
CREATE TABLE t (de DECIMAL(5, 2), bo BOOLEAN, dt DATE, tm TIME(0), ts TIMESTAMP(3), l TIMESTAMP_LTZ(3), bb BYTES, c CHAR(2), ti TINYINT) WITH ('connector' = 'inline');
--! data t
--! +I[1.50, TRUE, '2024-01-01', '01:00:00', '2024-01-01 00:00:00', '2024-01-01 00:00:00', X'00', 'a ', 1]
--! +I[1.5, TRUE, '2024-01-01', '01:00:00', '2024-01-01 00:00:00.000', '2024-01-01T00:00:00Z', X'00', 'a ', 1]
--! +I[-1.50, FALSE, '2023-12-31', '00:59:59', '2024-01-01 00:00:00.001', '2024-01-01 00:00:01', X'0000', 'a', -1]
--! +I[NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL]
--! +I[NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL]
SELECT de, COUNT(*) AS n FROM t GROUP BY de;
SELECT bo, COUNT(*) AS n FROM t GROUP BY bo;
SELECT dt, COUNT(*) AS n FROM t GROUP BY dt;
SELECT tm, COUNT(*) AS n FROM t GROUP BY tm;
SELECT ts, COUNT(*) AS n FROM t GROUP BY ts;
SELECT l, COUNT(*) AS n FROM t GROUP BY l;
SELECT bb, COUNT(*) AS n FROM t GROUP BY bb;
SELECT c, COUNT(*) AS n FROM t GROUP BY c;
SELECT ti, bo, COUNT(*) AS n FROM t GROUP BY ti, bo;
