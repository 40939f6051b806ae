-- a DATE literal that is no date
SELECT DATE '2024-02-30' AS d;
