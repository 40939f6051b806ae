-- Sessions: the bids of a person until ten seconds pass without one.
CREATE TABLE q11_sink (
  bidder BIGINT, bids BIGINT, began TIMESTAMP(3), ended TIMESTAMP(3)
) WITH ('connector' = 'blackhole');

INSERT INTO q11_sink
SELECT bidder, COUNT(*) AS bids, window_start AS began, window_end AS ended
FROM SESSION(TABLE bid PARTITION BY bidder, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)
GROUP BY bidder, window_start, window_end;
