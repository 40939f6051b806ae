-- a TIMESTAMP literal that is no timestamp
SELECT TIMESTAMP '2024-13-01 00:00:00' AS x;
