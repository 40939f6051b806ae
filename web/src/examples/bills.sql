-- A bill service: payments arrive at least once; each is counted once, and the balances are committed with the checkpoint.
SET 'parallelism.default' = '2';
SET 'execution.checkpointing.interval' = '8 s';
-- For how long a payment is remembered: what comes again later than that would count again.
SET 'table.exec.state.ttl' = '1 h';

CREATE TABLE payments (
  payment_id BIGINT,
  account    STRING,
  amount     DECIMAL(10, 2),
  arrived    AS PROCTIME()
) WITH ('connector' = 'log', 'topic' = 'payments', 'partitions' = '2');

CREATE TABLE balances (
  account  STRING,
  total    DECIMAL(38, 2),
  payments BIGINT,
  PRIMARY KEY (account) NOT ENFORCED
) WITH ('connector' = 'table', 'table-name' = 'balances', 'sink.delivery-guarantee' = 'exactly-once');

INSERT INTO balances
SELECT account, SUM(amount) AS total, COUNT(*) AS payments
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY payment_id ORDER BY arrived) AS place
  FROM payments
)
WHERE place = 1
GROUP BY account;
