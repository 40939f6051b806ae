-- a binary literal with half a byte
SELECT X'abc' AS b;
