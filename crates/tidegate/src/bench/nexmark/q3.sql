-- Local sellers: who of three states offers something of category 10.
CREATE TABLE q3_sink (name STRING, city STRING, state STRING, id BIGINT) WITH ('connector' = 'blackhole');

INSERT INTO q3_sink
SELECT seller.name, seller.city, seller.state, offer.id
FROM auction AS offer
JOIN person AS seller ON offer.seller = seller.id
WHERE offer.category = 10 AND seller.state IN ('OR', 'ID', 'CA');
