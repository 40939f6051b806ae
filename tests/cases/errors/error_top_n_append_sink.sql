-- a Top-N into a sink that only takes inserts
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
CREATE TABLE s1 (k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector'='inline', 'sink.changelog-mode'='I,UA,D');
CREATE TABLE s2 (k STRING, rn BIGINT, v INT, PRIMARY KEY (k, rn) NOT ENFORCED) WITH ('connector'='inline', 'sink.changelog-mode'='I,UA,D');
CREATE TABLE s3 (k STRING, v INT) WITH ('connector'='inline', 'sink.changelog-mode'='I');
SET 'table.exec.sink.not-null-enforcer' = 'DROP';
INSERT INTO s3 SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v) AS rn FROM t) WHERE rn <= 2;
