-- OVER by processing time: rows come out as they come in
CREATE TABLE p (k STRING, v INT, pt AS PROCTIME()) WITH ('connector' = 'inline');
--! data p
--! +I['a', 1]
--! +I['b', 5]
--! +I['a', 2]
--! +I[NULL, NULL]
--! +I['a', 3]
--! +I[NULL, 1]
--! +I['a', 3]
SELECT k, v, SUM(v) OVER (PARTITION BY k ORDER BY pt) AS s FROM p;
SELECT k, v, SUM(v) OVER w AS s, MAX(v) OVER w AS m, COUNT(*) OVER w AS c FROM p WINDOW w AS (PARTITION BY k ORDER BY pt ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW);
SELECT k, v, SUM(v) OVER w AS s, MIN(v) OVER w AS m, COUNT(*) OVER w AS c FROM p WINDOW w AS (PARTITION BY k ORDER BY pt ROWS BETWEEN 1 PRECEDING AND CURRENT ROW);
SELECT v, COUNT(*) OVER (ORDER BY pt ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS c FROM p;
SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY pt) AS rn FROM p;
