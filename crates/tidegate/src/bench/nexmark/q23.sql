-- Bids of persons who sell as well: each bid beside its bidder and each auction of theirs.
CREATE TABLE q23_sink (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), name STRING, city STRING,
  offered BIGINT, itemName STRING
) WITH ('connector' = 'blackhole');

INSERT INTO q23_sink
SELECT bid.auction, bid.bidder, bid.price, bid.`dateTime`, person.name, person.city, own.id, own.itemName
FROM bid
JOIN person ON person.id = bid.bidder
JOIN auction AS own ON own.seller = bid.bidder;
