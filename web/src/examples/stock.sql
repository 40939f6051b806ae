-- A changelog as source: another system's table, row by row as it changes; updates and deletes retract what they had caused.
CREATE TABLE stock (
  id      BIGINT,
  product STRING,
  pieces  INT,
  PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');

--! data stock
--! +I[1, 'tea', 20]
--! +I[2, 'milk', 5]
--! +I[3, 'tea', 7]
--! -U[3, 'tea', 7]
--! +U[3, 'tea', 4]
--! -D[2, 'milk', 5]

SELECT product, COUNT(*) AS shelves, SUM(pieces) AS pieces
FROM stock
GROUP BY product;
