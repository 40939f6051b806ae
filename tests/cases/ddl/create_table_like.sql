-- CREATE TABLE … LIKE: columns, keys, watermark and options taken over, left out and overwritten
CREATE TABLE base (id INT, v STRING, twice AS id * 2, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE same LIKE base;
CREATE TABLE wider (extra DOUBLE, thrice AS id * 3) LIKE base;
CREATE TABLE other (WATERMARK FOR ts AS ts) WITH ('changelog-mode' = 'I') LIKE base (EXCLUDING CONSTRAINTS EXCLUDING GENERATED OVERWRITING WATERMARKS);
CREATE TABLE plain (x INT) WITH ('connector' = 'inline') LIKE base (EXCLUDING ALL);
CREATE TABLE again (twice AS id * 20) LIKE base (OVERWRITING GENERATED EXCLUDING WATERMARKS);
DESCRIBE same;
DESCRIBE wider;
DESCRIBE other;
DESCRIBE plain;
DESCRIBE again;
--! data wider
--! +I[1, 'a', '2024-01-01 00:00:00', 1.5]
--! +I[2, 'b', '2024-01-01 00:00:01', NULL]
--! +U[1, 'c', '2024-01-01 00:00:02', 2.5]
--! data other
--! +I[1, 'a', '2024-01-01 00:00:00']
SELECT id, v, twice, thrice, extra FROM wider;
SELECT * FROM other;
