-- Window joins over TIMESTAMP_LTZ, in UTC and elsewhere
CREATE TABLE l (k INT, lv STRING, p AS PROCTIME(), ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT, p AS PROCTIME(), ts TIMESTAMP_LTZ(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data l
--! +I[1, 'a', '2024-01-01 00:00:01']
--! data r
--! +I[1, 10, '2024-01-01 00:00:03']
--! data l
--! +I[1, 'b', '2024-01-01 00:00:15']
--! data r
--! +I[1, 20, '2024-01-01 00:00:17']
SELECT a.lv, b.w, a.window_start FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(ts), INTERVAL '10' SECOND)) AS a JOIN TABLE(TUMBLE(TABLE r, DESCRIPTOR(ts), INTERVAL '10' SECOND)) AS b ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end;
