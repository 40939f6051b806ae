-- A window join over processing time
CREATE TABLE l (k INT, lv STRING, p AS PROCTIME()) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT, p AS PROCTIME()) WITH ('connector' = 'inline');
SELECT a.lv, b.w, a.window_start FROM TABLE(TUMBLE(TABLE l, DESCRIPTOR(p), INTERVAL '10' SECOND)) AS a JOIN TABLE(TUMBLE(TABLE r, DESCRIPTOR(p), INTERVAL '10' SECOND)) AS b ON a.k = b.k AND a.window_start = b.window_start AND a.window_end = b.window_end;
