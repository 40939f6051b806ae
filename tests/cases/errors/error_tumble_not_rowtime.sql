-- TUMBLE over a column that is no time attribute
CREATE TABLE e (id INT, ts TIMESTAMP(3)) WITH ('connector' = 'inline');
--! data e
--! +I[1, '2024-01-01 00:00:00']
SELECT window_start, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
