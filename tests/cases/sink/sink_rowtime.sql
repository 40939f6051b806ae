-- a window's result into a sink with its own rowtime column, and a rowtime into a plain timestamp column
CREATE TABLE e (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE o (w TIMESTAMP(3), c BIGINT, WATERMARK FOR w AS w) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I');
CREATE TABLE p (k STRING, t TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data e
--! +I['a', '2024-01-01 00:00:01']
--! +I['b', '2024-01-01 00:00:02']
--! +I['a', '2024-01-01 00:00:11']
INSERT INTO o SELECT window_end, COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
INSERT INTO o SELECT window_time, COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end, window_time;
INSERT INTO p SELECT k, ts FROM e;
