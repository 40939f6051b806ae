-- window results into keyed sinks are appends: no materialiser and no updates whatever the key
CREATE TABLE e (k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE by_window (k STRING, ws TIMESTAMP(3), s INT, PRIMARY KEY (k, ws) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE by_key (k STRING, ws TIMESTAMP(3), s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE best (ws TIMESTAMP(3), m INT, PRIMARY KEY (ws) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data e
--! +I['a', 1, '2024-01-01 00:00:01']
--! +I['b', 2, '2024-01-01 00:00:02']
--! +I['a', 3, '2024-01-01 00:00:11']
--! +I['a', 4, '2024-01-01 00:00:21']
INSERT INTO by_window SELECT k, window_start, SUM(v) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
INSERT INTO by_key SELECT k, window_start, SUM(v) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end;
INSERT INTO best SELECT ws, MAX(s) FROM (SELECT k, window_start AS ws, SUM(v) AS s FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY k, window_start, window_end) GROUP BY ws;
