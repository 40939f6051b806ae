-- unique keys of the sides: state by join key, by unique key, without; who needs -U; sinks by key
CREATE TABLE a (id INT, k INT, av STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE b (k INT, bv STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE c (k INT, n INT, cv STRING, PRIMARY KEY (k, n) NOT ENFORCED) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UA,D');
CREATE TABLE o (id INT, av STRING, bv STRING, PRIMARY KEY (id) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE TABLE p (k INT, bv STRING, cv STRING, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data a
--! +I[1, 10, 'a1']
--! +I[2, 10, 'a2']
--! data b
--! +I[10, 'b']
--! data c
--! +I[10, 1, 'c1']
--! +I[10, 2, 'c2']
--! data a
--! +U[1, 10, 'a1x']
--! +U[2, 20, 'a2x']
--! data b
--! -U[10, 'b']
--! +U[10, 'bx']
--! +I[20, 'b2']
--! data c
--! +U[10, 1, 'c1x']
--! -D[10, 2, NULL]
--! data a
--! -D[1, NULL, NULL]
--! data b
--! -D[10, 'bx']
SELECT id, av, bv FROM a JOIN b ON a.k = b.k;
SELECT b.k, bv, n, cv FROM b LEFT JOIN c ON b.k = c.k;
SELECT a.id, c.n, av, cv FROM a JOIN c ON a.k = c.k;
SELECT x.id, x.av, y.av AS bv FROM a x LEFT JOIN a y ON x.id = y.id;
SELECT id, cv FROM a LEFT JOIN c ON a.id = c.n AND a.k = c.k;
INSERT INTO o SELECT id, av, bv FROM a LEFT JOIN b ON a.k = b.k;
INSERT INTO p SELECT b.k, bv, cv FROM b JOIN c ON b.k = c.k;
INSERT INTO p SELECT b.k, bv, av FROM b JOIN a ON b.k = a.id;
