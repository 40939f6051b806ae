-- an unknown table in FROM
SELECT a FROM nowhere;
