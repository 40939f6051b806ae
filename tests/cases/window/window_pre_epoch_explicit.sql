-- windows around and before 1970 with explicit watermarks, which may lie before 1970
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS SOURCE_WATERMARK()) WITH ('connector' = 'inline');
--! data e
--! +I[1, '1969-12-31 23:59:41']
--! +I[2, '1969-12-31 23:59:55']
--! watermark '1969-12-31 23:59:49.999'
--! +I[3, '1969-12-31 23:59:44']
--! +I[4, '1970-01-01 00:00:00']
--! watermark '1970-01-01 00:00:00'
--! +I[5, '1969-12-31 23:59:59.999']
--! +I[6, '1970-01-01 00:00:09.999']
SELECT window_start, window_end, COUNT(*) AS c, SUM(id) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
