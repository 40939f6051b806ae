-- Calculation: bids of a middle price in euros, with the time of day, and how many letters c they hold.
CREATE FUNCTION count_char(t STRING, c STRING) RETURN CHAR_LENGTH(t) - CHAR_LENGTH(REPLACE(t, c, ''));

CREATE TABLE q14_sink (
  auction BIGINT, bidder BIGINT, price DECIMAL(23, 3), time_of_day STRING, `dateTime` TIMESTAMP(3), extra STRING,
  letters BIGINT
) WITH ('connector' = 'blackhole');

INSERT INTO q14_sink
SELECT auction, bidder, 0.908 * price AS price,
  CASE
    WHEN HOUR(`dateTime`) BETWEEN 8 AND 18 THEN 'dayTime'
    WHEN HOUR(`dateTime`) <= 6 OR HOUR(`dateTime`) >= 20 THEN 'nightTime'
    ELSE 'otherTime'
  END AS time_of_day,
  `dateTime`, extra, count_char(extra, 'c') AS letters
FROM bid
WHERE 0.908 * price > 1000000 AND 0.908 * price < 50000000;
