-- Odd and even sums: two parallel sources, an exchange by key, and a sink that commits with the checkpoint.
SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '10 s';

CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'log', 'topic' = 'numbers', 'partitions' = '2');

CREATE TABLE sums (parity STRING, total BIGINT, cnt BIGINT, PRIMARY KEY (parity) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'sums', 'sink.delivery-guarantee' = 'exactly-once');

INSERT INTO sums
SELECT parity, SUM(n) AS total, COUNT(*) AS cnt
FROM (SELECT n, IF(MOD(n, 2) = 0, 'Even', 'Odd') AS parity FROM numbers WHERE n IS NOT NULL)
GROUP BY parity;
