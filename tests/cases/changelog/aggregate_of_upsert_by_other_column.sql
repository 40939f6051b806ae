-- an upsert source grouped by a value that moves: the old group loses the row before the new one gains it
CREATE TABLE users (id INT, city STRING, age INT, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
--! data users
--! +I[1, 'Rome', 30]
--! +I[2, 'Rome', 40]
--! +U[1, 'Oslo', 30]
--! +U[2, 'Rome', 41]
--! +U[2, 'Oslo', 41]
--! -D[1, NULL, NULL]
--! +I[3, NULL, NULL]
--! +U[3, 'Rome', 50]
SELECT city, COUNT(*) AS n, AVG(age) AS a, MAX(age) AS m FROM users GROUP BY city;
SELECT COUNT(DISTINCT city) AS cities, COUNT(*) AS n FROM users;
SELECT n, COUNT(*) AS cities FROM (SELECT city, COUNT(*) AS n FROM users GROUP BY city) GROUP BY n;
