-- Odd and even sums: two parallel sources, an exchange by key, and a sink that commits with the checkpoint.
SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '10 s';

CREATE TABLE numbers (n BIGINT)
WITH ('connector' = 'log', 'topic' = 'numbers', 'partitions' = '2');

CREATE TABLE sums (odd BIGINT, total BIGINT, cnt BIGINT, PRIMARY KEY (odd) NOT ENFORCED)
WITH ('connector' = 'table', 'table-name' = 'sums', 'sink.delivery-guarantee' = 'exactly-once');

INSERT INTO sums
SELECT MOD(n, 2) AS odd, SUM(n) AS total, COUNT(*) AS cnt
FROM numbers
GROUP BY MOD(n, 2);
