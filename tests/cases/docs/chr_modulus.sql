-- CHR takes its argument modulo 256; the documentation says 255
SELECT CHR(255) AS a, CHR(256) AS b, CHR(257) AS c, CHR(353) AS d, CHR(-1) AS e, CHR(0) = '' AS f, CHAR_LENGTH(CHR(0)) AS g;
