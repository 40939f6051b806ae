-- conditions beside the key, a WHERE on either side, several keys, expressions as keys
CREATE TABLE o (id INT, k INT, s STRING, v INT, ots TIMESTAMP(3), WATERMARK FOR ots AS ots) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, s STRING, low INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (k, s) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');

--! data r
--! +I[1, 'x', 10, '2024-01-01 00:00:00']
--! +I[1, 'y', 20, '2024-01-01 00:00:00']
--! data o
--! +I[1, 1, 'x', 5, '2024-01-01 00:00:01']
--! +I[2, 1, 'x', 15, '2024-01-01 00:00:02']
--! +I[3, 1, 'y', 25, '2024-01-01 00:00:03']
--! +I[4, 2, 'y', 25, '2024-01-01 00:00:04']
--! data r
--! +U[1, 'x', 1, '2024-01-01 00:00:05']
--! data o
--! +I[5, 1, 'x', 5, '2024-01-01 00:00:06']
--! +I[6, 1, NULL, 5, '2024-01-01 00:00:07']
--! data r
--! -D[1, 'y', 20, '2024-01-01 00:00:08']
--! data o
--! +I[7, 1, 'y', 30, '2024-01-01 00:00:09']
--! data r
--! +I[9, 'z', 0, '2024-01-01 00:00:30']

SELECT o.id, r.low FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.k = r.k AND o.s = r.s AND o.v > r.low;
SELECT o.id, r.low FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.k = r.k AND o.s = r.s AND o.v > r.low;
SELECT o.id, r.low FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.k = r.k AND o.s = r.s WHERE o.v > 10 AND r.low < 15;
SELECT o.id, r.low FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.s = r.s AND o.k = r.k WHERE o.v > 10;
SELECT o.id, r.low FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.k + 0 = r.k AND UPPER(o.s) = UPPER(r.s) AND o.s = r.s;
