-- MIN and MAX over strings, booleans, dates and times, append-only and with retraction
CREATE TABLE t (s STRING, c CHAR(2), bo BOOLEAN, dt DATE, tm TIME, ts TIMESTAMP(3), l TIMESTAMP_LTZ(3)) WITH ('connector' = 'inline');
CREATE TABLE r (s STRING, dt DATE, ts TIMESTAMP(6), de DECIMAL(12, 3), d DOUBLE) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['b', 'bb', TRUE, '2024-01-02', '10:00:00', '2024-01-01 00:00:00.5', '2024-01-01 00:00:00.5']
--! +I['B', 'b ', FALSE, '2024-01-01', '09:59:59', '2023-01-01 00:00:00', '2025-01-01 00:00:00']
--! +I['', 'zz', NULL, '1969-01-01', '23:00:00', NULL, NULL]
--! +I['ä', 'a1', TRUE, NULL, NULL, '2024-01-01 00:00:00.501', '1960-01-01 00:00:00']
--! data r
--! +I['b', '2024-01-02', '2024-01-01 00:00:00.000001', 1.500, 1.5]
--! +I['c', '2024-01-03', '2024-01-01 00:00:00.000002', 2.500, -0.0]
--! +I['a', '2023-01-03', '2024-01-01 00:00:00.000003', -2.500, 0.0]
--! -D['c', '2024-01-03', '2024-01-01 00:00:00.000002', 2.500, -0.0]
--! -D['a', '2023-01-03', '2024-01-01 00:00:00.000003', -2.500, 0.0]
SELECT MIN(s) AS s, MIN(c) AS c, MIN(bo) AS bo, MIN(dt) AS dt, MIN(tm) AS tm, MIN(ts) AS ts, MIN(l) AS l FROM t;
SELECT MAX(s) AS s, MAX(c) AS c, MAX(bo) AS bo, MAX(dt) AS dt, MAX(tm) AS tm, MAX(ts) AS ts, MAX(l) AS l FROM t;
SELECT MIN(s) AS s, MAX(dt) AS dt, MIN(ts) AS ts, MAX(ts) AS ts2, MAX(de) AS de, MIN(d) AS d FROM r;
