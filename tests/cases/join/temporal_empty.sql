-- no version at all, and a right side without a row
CREATE TABLE o (id INT, k INT, ots TIMESTAMP(3), WATERMARK FOR ots AS ots) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, v INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');

--! data o
--! +I[1, 1, '2024-01-01 00:00:01']
--! +I[2, 2, '2024-01-01 00:00:02']

SELECT o.id, r.v FROM o JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.k = r.k;
SELECT o.id, r.v FROM o LEFT JOIN r FOR SYSTEM_TIME AS OF o.ots ON o.k = r.k;
