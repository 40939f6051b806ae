-- an integer literal beyond BIGINT
SELECT 9223372036854775808 AS x;
