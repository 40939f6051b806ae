-- by processing time: the first rows to arrive, the last one
CREATE TABLE p (k STRING, v INT, pt AS PROCTIME()) WITH ('connector' = 'inline');
--! data p
--! +I['a', 1]
--! +I['b', 5]
--! +I['a', 2]
--! +I[NULL, NULL]
--! +I['a', 3]
--! +I[NULL, 1]
--! +I['a', 3]
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM p) WHERE rn = 1;
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt DESC) AS rn FROM p) WHERE rn = 1;
SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM p) WHERE rn <= 2;
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM p) WHERE rn <= 2;
SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM p) WHERE rn = 1;
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt DESC) AS rn FROM p) WHERE rn <= 2;
SELECT k, v FROM p ORDER BY pt;
