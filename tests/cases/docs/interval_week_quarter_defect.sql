-- defect: INTERVAL '1' WEEK adds nothing to a DATE and INTERVAL '1' QUARTER one month; TIMESTAMPADD does both right
CREATE TABLE t (dt DATE, ts TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data t
--! +I['2024-01-31', '2024-01-31 12:00:00']
SELECT dt + INTERVAL '1' WEEK AS dw, dt + INTERVAL '1' QUARTER AS dq, ts + INTERVAL '1' WEEK AS tw, ts + INTERVAL '1' QUARTER AS tq, dt + INTERVAL '1' MONTH AS dm FROM t;
SELECT TIMESTAMPADD(WEEK, 1, dt) AS dw, TIMESTAMPADD(QUARTER, 1, dt) AS dq, TIMESTAMPADD(WEEK, 1, ts) AS tw, TIMESTAMPADD(QUARTER, 1, ts) AS tq FROM t;
