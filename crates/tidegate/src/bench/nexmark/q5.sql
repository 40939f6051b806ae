-- Hot items: the auctions with the most bids of ten seconds, looked at every two.
CREATE TABLE q5_sink (auction BIGINT, bids BIGINT) WITH ('connector' = 'blackhole');

CREATE VIEW q5_counts AS
SELECT auction, COUNT(*) AS bids, window_start, window_end
FROM HOP(TABLE bid, DESCRIPTOR(`dateTime`), INTERVAL '2' SECOND, INTERVAL '10' SECOND)
GROUP BY auction, window_start, window_end;

INSERT INTO q5_sink
SELECT own.auction, own.bids
FROM q5_counts AS own
JOIN (
  SELECT window_start, window_end, MAX(bids) AS most
  FROM q5_counts
  GROUP BY window_start, window_end
) AS best
ON own.window_start = best.window_start AND own.window_end = best.window_end AND own.bids >= best.most;
