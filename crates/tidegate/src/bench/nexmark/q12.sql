-- Bids by the clock: of each person within ten seconds of processing time.
CREATE TABLE q12_sink (
  bidder BIGINT, bids BIGINT, began TIMESTAMP(3), ended TIMESTAMP(3)
) WITH ('connector' = 'blackhole');

CREATE VIEW q12_arrived AS
SELECT *, PROCTIME() AS arrived FROM bid;

INSERT INTO q12_sink
SELECT bidder, COUNT(*) AS bids, window_start AS began, window_end AS ended
FROM TUMBLE(TABLE q12_arrived, DESCRIPTOR(arrived), INTERVAL '10' SECOND)
GROUP BY bidder, window_start, window_end;
