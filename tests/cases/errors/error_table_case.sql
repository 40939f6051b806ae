-- table names are case sensitive
CREATE TABLE Orders (id INT) WITH ('connector' = 'inline');
--! data Orders
--! +I[1]
SELECT id FROM orders;
