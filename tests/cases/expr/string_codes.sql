-- CHR, ASCII, HEX, BIN, TO_BASE64, FROM_BASE64, MD5, SHA1, SHA256, ENCODE and DECODE
CREATE TABLE t (s STRING, n INT) WITH ('connector' = 'inline');
--! data t
--! +I['hello', 65]
--! +I['', 0]
--! +I['ä', 228]
--! +I['aGVsbG8=', 256]
--! +I[NULL, NULL]
SELECT CHR(n) AS c, ASCII(s) AS a, HEX(s) AS hs, HEX(n) AS hn, BIN(n) AS b FROM t;
SELECT TO_BASE64(s) AS tb, MD5(s) AS m, SHA1(s) AS s1, SHA256(s) AS s2, SHA2(s, 224) AS s224 FROM t;
SELECT ENCODE(s, 'UTF-8') AS e, DECODE(ENCODE(s, 'UTF-8'), 'UTF-8') AS d, CHAR_LENGTH(s) AS l FROM t WHERE n IS NOT NULL AND n < 300;
SELECT FROM_BASE64(TO_BASE64(s)) AS rt FROM t;
