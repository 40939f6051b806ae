-- the condition that makes a Top-N, in all its forms, and what else stands in it
CREATE TABLE t (k STRING, v INT, w INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND) WITH ('connector' = 'inline');
--! data t
--! +I['a', 1, 5, '2024-01-01 00:00:01']
--! +I['a', 3, 4, '2024-01-01 00:00:02']
--! +I['b', 2, 3, '2024-01-01 00:00:02']
--! +I['a', 2, 9, '2024-01-01 00:00:05']
--! +I[NULL, NULL, 1, '2024-01-01 00:00:06']
--! +I['a', 3, 2, '2024-01-01 00:00:07']
--! +I['a', 3, 2, '2024-01-01 00:00:07']
--! +I[NULL, 7, 1, '2024-01-01 00:00:03']
--! +I['b', NULL, 8, '2024-01-01 00:00:04']
--! +I['b', 0, 8, '2024-01-01 00:00:12']
SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn = 2;
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn = 2;
SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn <= 2 AND v > 1;
SELECT k, rn + 1 AS r FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE 2 >= rn;
SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn < 3 AND k = 'a';
SELECT k, v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn BETWEEN 2 AND 3;
SELECT v, rn FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn > 1 AND rn < 4;
SELECT k, v FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) <= 2;
SELECT k, v FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v + w DESC) AS rn FROM t) WHERE rn <= 2;
SELECT k, v, rn FROM (SELECT k, v, ROW_NUMBER() OVER (PARTITION BY UPPER(k) ORDER BY w) AS rn FROM t WHERE v > 1) WHERE rn <= 2;
