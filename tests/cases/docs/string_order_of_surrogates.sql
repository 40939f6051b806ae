-- defect: strings compare by UTF-16 unit while they are fresh from the source and by byte once they went over an exchange; only characters beyond U+FFFF differ
CREATE TABLE t (s STRING, u STRING) WITH ('connector' = 'inline');
--! data t
--! +I['😀', '～']
--! +I['～', '😀']
SELECT s, u, s > u AS gt, s > U&'\ff5e' AS lit FROM t;
SELECT MIN(s) AS mi, MAX(s) AS ma FROM t;
SELECT s, u, s > u AS gt FROM (SELECT s, u, COUNT(*) AS c FROM t GROUP BY s, u);
