-- chains of three joins and a table joined with itself
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, rv STRING, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data l
--! +I[1, 'a']
--! +I[1, 'b']
--! +I[NULL, 'n']
--! data r
--! +I[1, 'x', 5]
--! +I[NULL, 'm', 1]
--! +I[1, 'x', 5]
--! +I[2, 'y', 7]
--! data l
--! -U[1, 'a']
--! +U[2, 'a']
--! +I[2, 'a']
--! data r
--! -D[1, 'x', 5]
--! -U[2, 'y', 7]
--! +U[2, 'y', 3]
--! data l
--! -D[1, 'b']
--! -D[NULL, 'n']
--! data r
--! -D[1, 'x', 5]
--! +I[3, 'z', 9]
--! data l
--! -D[2, 'a']
--! -D[2, 'a']
--! data r
--! -D[NULL, 'm', 1]
SELECT a.lv AS x, b.lv AS y FROM l a JOIN l b ON a.k = b.k AND a.lv < b.lv;
SELECT a.lv AS x, rv, b.lv AS y FROM l a LEFT JOIN r ON a.k = r.k LEFT JOIN l b ON r.w = b.k;
SELECT a.lv AS x, b.rv, c.rv AS z FROM l a JOIN r b ON a.k = b.k JOIN r c ON b.k = c.k AND b.w = c.w;
