-- NULL keys, rows that come late on both sides, several rows per key and step, an update of the same time
CREATE TABLE o (id INT, cur STRING, ots TIMESTAMP(3), WATERMARK FOR ots AS ots - INTERVAL '10' SECOND) WITH ('connector' = 'inline');
CREATE TABLE r (cur STRING, rate INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts - INTERVAL '10' SECOND, PRIMARY KEY (cur) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');

--! data r
--! +I['a', 1, '2024-01-01 00:00:10']
--! +I['b', 5, '2024-01-01 00:00:10']
--! +U['a', 2, '2024-01-01 00:00:20']
--! data o
--! +I[1, 'a', '2024-01-01 00:00:15']
--! +I[2, NULL, '2024-01-01 00:00:15']
--! +I[3, 'a', '2024-01-01 00:00:15']
--! +I[4, 'a', '2024-01-01 00:00:12']
--! +I[5, 'b', '2024-01-01 00:00:09']
--! +I[6, 'a', '2024-01-01 00:00:20']
--! +I[7, 'a', '2024-01-01 00:00:40']
--! data r
--! +U['a', 3, '2024-01-01 00:00:40']
--! +U['a', 4, '2024-01-01 00:00:15']
--! data o
--! +I[8, 'a', '2024-01-01 00:00:16']
--! +I[9, 'b', '2024-01-01 00:00:01']
--! data r
--! +U['a', 6, '2024-01-01 00:00:40']
--! -D['b', 5, '2024-01-01 00:00:45']
--! data o
--! +I[10, 'b', '2024-01-01 00:00:44']
--! +I[11, 'b', '2024-01-01 00:00:45']
--! +I[12, 'a', '2024-01-01 00:00:50']
--! +I[13, 'a', '2024-01-01 00:01:30']
--! data r
--! +I['b', 7, '2024-01-01 00:01:00']
--! +I['b', 8, '2024-01-01 00:01:40']
--! data o
--! +I[14, 'b', '2024-01-01 00:01:00']
--! +I[15, 'b', '2024-01-01 00:01:45']

SELECT o.id, o.cur, r.rate, o.ots, r.rts FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.cur = r.cur;
SELECT o.id, o.cur, r.rate, r.cur AS rc FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.cur = r.cur;
