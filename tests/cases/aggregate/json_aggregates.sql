-- JSON_OBJECTAGG and JSON_ARRAYAGG: NULLs kept and left out, retraction, FILTER
CREATE TABLE t (k STRING, v INT, g INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
--! data t
--! +I['a', 1, 1]
--! +I['b', NULL, 1]
--! +I['c', 3, 2]
--! -U['a', 1, 1]
--! +U['a', 5, 1]
--! -D['b', NULL, 1]
--! -D['c', 3, 2]
SELECT g, JSON_OBJECTAGG(KEY k VALUE v) AS o, JSON_OBJECTAGG(KEY k VALUE v ABSENT ON NULL) AS oa FROM t GROUP BY g;
SELECT g, JSON_ARRAYAGG(v) AS a, JSON_ARRAYAGG(v NULL ON NULL) AS an, JSON_ARRAYAGG(k) AS s FROM t GROUP BY g;
SELECT JSON_ARRAYAGG(v) AS a, COUNT(*) AS c, JSON_ARRAYAGG(ROW(k, v)) AS r FROM t;
