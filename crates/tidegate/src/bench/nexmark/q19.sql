-- Top ten: the ten highest bids on each auction, with their places.
CREATE TABLE q19_sink (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING, `dateTime` TIMESTAMP(3), extra STRING,
  place BIGINT
) WITH ('connector' = 'blackhole');

INSERT INTO q19_sink
SELECT auction, bidder, price, channel, url, `dateTime`, extra, place
FROM (
  SELECT *, ROW_NUMBER() OVER (PARTITION BY auction ORDER BY price DESC) AS place FROM bid
)
WHERE place <= 10;
