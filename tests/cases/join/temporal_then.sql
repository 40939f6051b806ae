-- behind a temporal join: a window (the time of the left side stays one), an aggregate, a second temporal join, a sink
CREATE TABLE o (id INT, cur STRING, item INT, ots TIMESTAMP(3), WATERMARK FOR ots AS ots) WITH ('connector' = 'inline');
CREATE TABLE r (cur STRING, rate INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (cur) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE p (item INT, price INT, pts TIMESTAMP(3), WATERMARK FOR pts AS pts, PRIMARY KEY (item) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');

--! data r
--! +I['a', 2, '2024-01-01 00:00:00']
--! data p
--! +I[1, 100, '2024-01-01 00:00:00']
--! +I[2, 200, '2024-01-01 00:00:00']
--! data o
--! +I[1, 'a', 1, '2024-01-01 00:00:01']
--! +I[2, 'a', 2, '2024-01-01 00:00:05']
--! data p
--! -U[1, 100, '2024-01-01 00:00:06']
--! +U[1, 110, '2024-01-01 00:00:06']
--! data r
--! +U['a', 3, '2024-01-01 00:00:10']
--! data o
--! +I[3, 'a', 1, '2024-01-01 00:00:12']
--! data p
--! -D[2, 200, '2024-01-01 00:00:12']
--! data o
--! +I[4, 'a', 2, '2024-01-01 00:00:13']
--! data r
--! +U['a', 4, '2024-01-01 00:00:30']
--! data p
--! +I[3, 1, '2024-01-01 00:00:30']
--! data o
--! +I[5, 'b', 1, '2024-01-01 00:00:40']

CREATE VIEW j AS SELECT o.id, r.rate, o.ots FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.cur = r.cur;
SELECT window_start, COUNT(*) AS n, SUM(rate) AS s FROM TABLE(TUMBLE(TABLE j, DESCRIPTOR(ots), INTERVAL '10' SECOND)) GROUP BY window_start, window_end;
SELECT rate, COUNT(*) AS n FROM j GROUP BY rate;
SELECT o.id, rate * price AS total FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.cur = r.cur
  LEFT JOIN p FOR SYSTEM_TIME AS OF o.ots ON o.item = p.item;
SELECT o.*, p.* FROM o JOIN p FOR SYSTEM_TIME AS OF o.ots ON o.item = p.item;
