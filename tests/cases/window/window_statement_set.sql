-- one statement set with a window and an unbounded aggregate over the same table
CREATE TABLE e (k STRING, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
CREATE TABLE o (ws TIMESTAMP(3), c BIGINT) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I');
CREATE TABLE u (k STRING, c BIGINT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data e
--! +I['a', '2024-01-01 00:00:01']
--! +I['a', '2024-01-01 00:00:12']
--! +I['b', '2024-01-01 00:00:03']
--! +I['a', '2024-01-01 00:00:25']
EXECUTE STATEMENT SET BEGIN
  INSERT INTO o SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE e, DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
  INSERT INTO u SELECT k, COUNT(*) FROM e GROUP BY k;
END;
