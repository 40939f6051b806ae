-- Bids beside their auctions, of category 10.
CREATE TABLE q20_sink (
  auction BIGINT, bidder BIGINT, price BIGINT, channel STRING, url STRING,
  bid_dateTime TIMESTAMP(3), bid_extra STRING,
  itemName STRING, description STRING, initialBid BIGINT, reserve BIGINT,
  auction_dateTime TIMESTAMP(3), expires TIMESTAMP(3), seller BIGINT, category BIGINT, auction_extra STRING
) WITH ('connector' = 'blackhole');

INSERT INTO q20_sink
SELECT bid.auction, bid.bidder, bid.price, bid.channel, bid.url, bid.`dateTime`, bid.extra,
  offer.itemName, offer.description, offer.initialBid, offer.reserve, offer.`dateTime`, offer.expires,
  offer.seller, offer.category, offer.extra
FROM bid
JOIN auction AS offer ON bid.auction = offer.id
WHERE offer.category = 10;
