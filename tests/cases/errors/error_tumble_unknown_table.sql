-- TUMBLE over a table that does not exist
SELECT * FROM TABLE(TUMBLE(TABLE nowhere, DESCRIPTOR(ts), INTERVAL '10' SECOND));
