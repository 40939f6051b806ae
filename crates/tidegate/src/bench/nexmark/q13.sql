-- Side input: each bid beside what a small table says of its auction when it comes.
CREATE TABLE q13_side (`key` BIGINT, `value` STRING, PRIMARY KEY (`key`) NOT ENFORCED) WITH ('connector' = 'table');

CREATE VIEW q13_digits AS
SELECT CAST(d AS BIGINT) AS d FROM (VALUES (0), (1), (2), (3), (4), (5), (6), (7), (8), (9)) AS digits (d);

INSERT INTO q13_side
SELECT `key`, CAST(`key` AS STRING)
FROM (
  SELECT 1000 * a.d + 100 * b.d + 10 * c.d + d.d AS `key`
  FROM q13_digits AS a, q13_digits AS b, q13_digits AS c, q13_digits AS d
);

CREATE TABLE q13_sink (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), `value` STRING
) WITH ('connector' = 'blackhole');

CREATE VIEW q13_arrived AS
SELECT *, PROCTIME() AS arrived FROM bid;

INSERT INTO q13_sink
SELECT own.auction, own.bidder, own.price, own.`dateTime`, side.`value`
FROM q13_arrived AS own
JOIN q13_side FOR SYSTEM_TIME AS OF own.arrived AS side ON MOD(own.auction, 10000) = side.`key`;
