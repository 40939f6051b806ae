-- Winning bids: each auction beside its highest bid within its time; of two equal ones the earlier.
CREATE TABLE q9_sink (
  id BIGINT, itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  `dateTime` TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, extra STRING,
  auction BIGINT, bidder BIGINT, price BIGINT, bid_dateTime TIMESTAMP(3), bid_extra STRING,
  PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'blackhole');

INSERT INTO q9_sink
SELECT id, itemName, description, initialBid, reserve, `dateTime`, expires, seller, category, extra,
  auction, bidder, price, bid_dateTime, bid_extra
FROM (
  SELECT auction.*, bid.auction, bid.bidder, bid.price, bid.`dateTime` AS bid_dateTime, bid.extra AS bid_extra,
    ROW_NUMBER() OVER (PARTITION BY auction.id ORDER BY bid.price DESC, bid.`dateTime` ASC) AS place
  FROM auction
  JOIN bid ON bid.auction = auction.id AND bid.`dateTime` BETWEEN auction.`dateTime` AND auction.expires
)
WHERE place <= 1;
