-- Clicks per user, twice: the first result is updated with every click, the second grows by a row per user and hour.
CREATE TABLE clicks (
  `user` STRING,
  url    STRING,
  cTime  TIMESTAMP(3),
  WATERMARK FOR cTime AS cTime - INTERVAL '5' MINUTE
) WITH ('connector' = 'inline');

--! data clicks
--! +I['Mary', './home', '2024-01-01 12:00:00']
--! +I['Bob', './cart', '2024-01-01 12:00:00']
--! +I['Mary', './prod?id=1', '2024-01-01 12:02:00']
--! +I['Mary', './prod?id=4', '2024-01-01 12:55:00']
--! +I['Bob', './prod?id=5', '2024-01-01 13:01:00']
--! +I['Liz', './home', '2024-01-01 13:30:00']
--! +I['Liz', './prod?id=7', '2024-01-01 13:59:00']
--! +I['Mary', './cart', '2024-01-01 14:00:00']
--! +I['Liz', './home', '2024-01-01 14:02:00']
--! +I['Bob', './prod?id=3', '2024-01-01 14:30:00']

-- Updating: a click replaces the count that was there.
SELECT `user`, COUNT(url) AS cnt
FROM clicks
GROUP BY `user`;

-- Append-only: an hour's counts come once, when the watermark has passed its end.
SELECT `user`, window_end AS endT, COUNT(url) AS cnt
FROM TABLE(TUMBLE(TABLE clicks, DESCRIPTOR(cTime), INTERVAL '1' HOUR))
GROUP BY window_start, window_end, `user`;
