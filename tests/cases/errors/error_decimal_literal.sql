-- a decimal literal of more than 19 digits
SELECT 1234567890123456789.5 AS x;
