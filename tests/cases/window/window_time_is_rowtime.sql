-- window_time is a time attribute that can be filtered, renamed and windowed again; adding an interval keeps the mark, CAST drops it
CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I['a', 1, '2024-01-01 00:00:01']
--! +I['a', 3, '2024-01-01 00:00:06']
--! +I['a', 4, '2024-01-01 00:00:11']
--! +I['b', 5, '2024-01-01 00:00:21']
CREATE VIEW w AS SELECT window_time AS wt, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '5' SECOND)) GROUP BY window_start, window_end, window_time;
SELECT wt, s FROM w;
SELECT wt, wt + INTERVAL '0.001' SECOND AS later, CAST(wt AS TIMESTAMP(3)) AS c FROM w WHERE s > 1;
SELECT window_start, SUM(s) AS s FROM TABLE(TUMBLE(TABLE w, DESCRIPTOR(wt), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
