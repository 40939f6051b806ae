-- ASCII gives the first byte as a signed number, not the first character's code
SELECT ASCII('a') AS a, ASCII('ä') AS b, ASCII('€') AS c, ASCII('') AS d, CHR(228) AS e, ASCII(CHR(228)) AS f;
