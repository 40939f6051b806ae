-- the time of the right side is no time attribute behind a temporal join
CREATE TABLE o (id INT, cur STRING, ots TIMESTAMP(3), WATERMARK FOR ots AS ots) WITH ('connector' = 'inline');
CREATE TABLE r (cur STRING, rate INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (cur) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data r
--! +I['a', 2, '2024-01-01 00:00:00']
--! data o
--! +I[1, 'a', '2024-01-01 00:00:01']
CREATE VIEW j AS SELECT o.id, r.rate, r.rts FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.cur = r.cur;
SELECT window_start, COUNT(*) AS n FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(rts), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
