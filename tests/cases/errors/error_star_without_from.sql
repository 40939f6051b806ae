-- SELECT * without FROM
SELECT *;
