-- New sellers: persons who opened an auction within the ten seconds in which they registered.
CREATE TABLE q8_sink (id BIGINT, name STRING, since TIMESTAMP(3)) WITH ('connector' = 'blackhole');

INSERT INTO q8_sink
SELECT registered.id, registered.name, registered.window_start AS since
FROM (
  SELECT id, name, window_start, window_end
  FROM TUMBLE(TABLE person, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)
  GROUP BY id, name, window_start, window_end
) AS registered
JOIN (
  SELECT seller, window_start, window_end
  FROM TUMBLE(TABLE auction, DESCRIPTOR(`dateTime`), INTERVAL '10' SECOND)
  GROUP BY seller, window_start, window_end
) AS opened
ON registered.id = opened.seller
  AND registered.window_start = opened.window_start AND registered.window_end = opened.window_end;
