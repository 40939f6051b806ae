-- a window's result read in part: windows fire once anyway; aggregates over windows append or update as usual
CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
--! data e
--! +I['a', 1, '2024-01-01 00:00:01']
--! +I['b', 2, '2024-01-01 00:00:02']
--! +I['a', 3, '2024-01-01 00:00:11']
--! +I['c', 3, '2024-01-01 00:00:12']
--! +I['a', 4, '2024-01-01 00:00:31']
CREATE VIEW w AS SELECT k, window_start, window_end, SUM(v) AS s, COUNT(*) AS c FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
SELECT k FROM w;
SELECT 1 AS x FROM w WHERE c > 0;
SELECT COUNT(*) AS n FROM w;
SELECT MAX(s) AS m FROM w;
SELECT DISTINCT k FROM w;
SELECT k, MAX(s) AS m FROM w GROUP BY k;
