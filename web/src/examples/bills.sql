-- A bill service: payments arrive at least once; each is counted once, and the balances are committed with the checkpoint.
SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '8 s';

CREATE TABLE payments (
  payment_id BIGINT,
  account    STRING,
  amount     DECIMAL(10, 2)
) WITH ('connector' = 'log', 'topic' = 'payments', 'partitions' = '2');

CREATE TABLE balances (
  account  STRING,
  total    DECIMAL(38, 2),
  payments BIGINT,
  PRIMARY KEY (account) NOT ENFORCED
) WITH ('connector' = 'table', 'table-name' = 'balances', 'sink.delivery-guarantee' = 'exactly-once');

INSERT INTO balances
SELECT account, SUM(amount) AS total, COUNT(*) AS payments
FROM (SELECT DISTINCT payment_id, account, amount FROM payments)
GROUP BY account;
