-- with a comma
CREATE TABLE o (id INT, k INT, x TIMESTAMP(3), ots TIMESTAMP(3), WATERMARK FOR ots AS ots) WITH ('connector' = 'inline');
CREATE TABLE r (k INT, w INT, v INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts, PRIMARY KEY (k) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE p (k INT, v INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts) WITH ('connector' = 'inline');
CREATE TABLE q (k INT, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');

--! data o
--! +I[1, 1, NULL, '2024-01-01 00:00:01']

SELECT o.id, r.v FROM o, r FOR SYSTEM_TIME AS OF o.ots WHERE o.k = r.k;
