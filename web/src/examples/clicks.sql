-- Clicks per user: a stream becomes a table, and a query that never ends keeps its result up to date.
CREATE TABLE clicks (
  `user` STRING,
  url    STRING,
  cTime  TIMESTAMP(3)
) WITH ('connector' = 'inline');

--! data clicks
--! +I['Mary', './home', '2024-01-01 12:00:00']
--! +I['Bob', './cart', '2024-01-01 12:00:00']
--! +I['Mary', './prod?id=1', '2024-01-01 12:00:05']
--! +I['Liz', './home', '2024-01-01 12:01:00']
--! +I['Bob', './prod?id=3', '2024-01-01 12:01:30']

SELECT `user`, COUNT(url) AS cnt
FROM clicks
GROUP BY `user`;
