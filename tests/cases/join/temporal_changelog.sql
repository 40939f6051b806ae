-- the left side is a changelog, the right one has -U; a versioned view with more columns, and one whose key is not the join key alone
CREATE TABLE o (id INT, k INT, ots TIMESTAMP(3), WATERMARK FOR ots AS ots, PRIMARY KEY (id) NOT ENFORCED)
  WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, g INT, v INT, rts TIMESTAMP(3), WATERMARK FOR rts AS rts) WITH ('connector' = 'inline');
CREATE VIEW last AS SELECT k, v, rts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY rts DESC) AS n FROM r) WHERE n = 1;

--! data r
--! +I[1, 1, 10, '2024-01-01 00:00:00']
--! +I[2, 1, 20, '2024-01-01 00:00:00']
--! data o
--! +I[1, 1, '2024-01-01 00:00:01']
--! +I[2, 2, '2024-01-01 00:00:02']
--! -U[1, 1, '2024-01-01 00:00:03']
--! +U[1, 2, '2024-01-01 00:00:03']
--! data r
--! +I[1, 1, 11, '2024-01-01 00:00:04']
--! +I[2, 2, 21, '2024-01-01 00:00:04']
--! data o
--! -D[2, 2, '2024-01-01 00:00:05']
--! +I[3, 3, '2024-01-01 00:00:06']
--! +I[4, 1, '2024-01-01 00:00:06']
--! data r
--! +I[3, 1, 30, '2024-01-01 00:00:30']
--! data o
--! +I[5, 3, '2024-01-01 00:00:40']

SELECT o.id, last.v, last.rts FROM o JOIN last FOR SYSTEM_TIME AS OF o.ots ON o.k = last.k;
SELECT o.id, last.v FROM o LEFT JOIN last FOR SYSTEM_TIME AS OF o.ots ON o.k = last.k;
