-- HOP, CUMULATE and SESSION over TIMESTAMP_LTZ in a zone
SET 'table.local-time-zone' = 'Asia/Kathmandu';
CREATE TABLE z (k STRING, v INT, ms BIGINT, ts AS TO_TIMESTAMP_LTZ(ms, 3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data z
--! +I['a', 1, 1704067200000]
--! +I['a', 2, 1704070800000]
--! +I['b', 3, 1704074400000]
--! +I['a', 4, 1704160800000]
SELECT k, window_start, window_end, SUM(v) AS s FROM TABLE(HOP(TABLE z, DESCRIPTOR(ts), INTERVAL '1' HOUR, INTERVAL '2' HOUR)) GROUP BY k, window_start, window_end;
SELECT k, window_start, window_end, SUM(v) AS s FROM TABLE(CUMULATE(TABLE z, DESCRIPTOR(ts), INTERVAL '6' HOUR, INTERVAL '1' DAY)) GROUP BY k, window_start, window_end;
SELECT k, window_start, window_end, SUM(v) AS s FROM TABLE(SESSION(TABLE z PARTITION BY k, DESCRIPTOR(ts), INTERVAL '90' MINUTE)) GROUP BY k, window_start, window_end;
