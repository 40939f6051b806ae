-- UNION ALL of an append-only and an updating table passes kinds through and widens INT to BIGINT
CREATE TABLE a (id INT, s STRING) WITH ('connector' = 'inline');
CREATE TABLE b (id BIGINT, s STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');

--! data a
--! +I[1, 'a1']
--! data b
--! +I[1, 'a1']
--! data a
--! +I[2, 'a2']
--! data b
--! -U[1, 'a1']
--! +U[1, 'b1']
--! data a
--! +I[1, 'a1']
--! data b
--! -D[1, 'b1']

SELECT id, s FROM a UNION ALL SELECT id, s FROM b;
