-- Average price per seller: over the last ten of their auctions to close, each at its highest bid within its time.
-- (The benchmark says it with OVER on a result that changes, which Flink refuses. A Top-N says the same of the state of things at any time.)
CREATE TABLE q6_sink (seller BIGINT, average BIGINT) WITH ('connector' = 'blackhole');

INSERT INTO q6_sink
SELECT seller, AVG(closing) AS average
FROM (
  SELECT seller, closing, ROW_NUMBER() OVER (PARTITION BY seller ORDER BY expires DESC, id DESC) AS place
  FROM (
    SELECT auction.id, auction.seller, auction.expires, MAX(bid.price) AS closing
    FROM auction
    JOIN bid ON bid.auction = auction.id AND bid.`dateTime` BETWEEN auction.`dateTime` AND auction.expires
    GROUP BY auction.id, auction.seller, auction.expires
  )
)
WHERE place <= 10
GROUP BY seller;
