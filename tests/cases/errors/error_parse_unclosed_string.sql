-- a string that is not closed
SELECT 'abc AS x;
