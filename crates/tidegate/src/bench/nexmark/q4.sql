-- Average price per category: over what the auctions closed at, each at its highest bid within its time.
CREATE TABLE q4_sink (category BIGINT, average BIGINT) WITH ('connector' = 'blackhole');

INSERT INTO q4_sink
SELECT category, AVG(closing) AS average
FROM (
  SELECT auction.id, auction.category, MAX(bid.price) AS closing
  FROM auction
  JOIN bid ON bid.auction = auction.id AND bid.`dateTime` BETWEEN auction.`dateTime` AND auction.expires
  GROUP BY auction.id, auction.category
)
GROUP BY category;
