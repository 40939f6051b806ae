-- a table with no rows, a table whose rows are all filtered, windows whose rows were all late: nothing comes out
CREATE TABLE nothing (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
CREATE TABLE silent (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
--! data e
--! watermark '2024-01-01 00:01:00'
--! +I[1, '2024-01-01 00:00:05']
--! +I[2, '2024-01-01 00:00:55']
--! +I[3, '2024-01-01 00:01:00']
--! data silent
--! +I[1, '2024-01-01 00:00:05']
--! +I[2, '2024-01-01 00:00:15']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE nothing, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) WHERE id > 99 GROUP BY window_start, window_end;
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE silent, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
