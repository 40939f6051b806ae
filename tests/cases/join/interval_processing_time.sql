-- an interval join by processing time: what comes within an hour meets; a condition beside; a bound that nothing fulfils
CREATE TABLE o (id INT, v INT, pt AS PROCTIME()) WITH ('connector' = 'inline');
CREATE TABLE s (id INT, w INT, pt AS PROCTIME()) WITH ('connector' = 'inline');
--! data o
--! +I[1, 1]
--! +I[2, 2]
--! +I[NULL, 3]
--! data s
--! +I[1, 10]
--! +I[NULL, 30]
--! +I[1, 0]
--! data o
--! +I[1, 4]
--! data s
--! +I[3, 5]
SELECT o.id, v, w FROM o JOIN s ON o.id = s.id AND o.pt BETWEEN s.pt - INTERVAL '1' HOUR AND s.pt + INTERVAL '1' HOUR;
SELECT o.id, v, w FROM o, s WHERE o.id = s.id AND v < w AND o.pt >= s.pt - INTERVAL '1' DAY AND o.pt < s.pt + INTERVAL '2' DAY;
SELECT o.id, v, s.id AS sid, w FROM o LEFT JOIN s ON o.id = s.id AND o.pt BETWEEN s.pt - INTERVAL '1' HOUR AND s.pt + INTERVAL '1' HOUR;
SELECT o.id, v, s.id AS sid, w FROM o FULL JOIN s ON o.id = s.id AND o.pt BETWEEN s.pt - INTERVAL '3' HOUR AND s.pt - INTERVAL '2' HOUR;
