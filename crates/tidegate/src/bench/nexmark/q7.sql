-- Highest bid: the bids at the highest price of each ten seconds.
CREATE TABLE q7_sink (
  auction BIGINT, bidder BIGINT, price BIGINT, `dateTime` TIMESTAMP(3), extra STRING
) WITH ('connector' = 'blackhole');

INSERT INTO q7_sink
SELECT bid.auction, bid.bidder, bid.price, bid.`dateTime`, bid.extra
FROM bid
JOIN (
  SELECT MAX(price) AS highest, window_end AS closed
  FROM TUMBLE(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)
  GROUP BY window_start, window_end
) AS best
ON bid.price = best.highest
WHERE bid.`dateTime` BETWEEN best.closed - INTERVAL '10' SECOND AND best.closed;
