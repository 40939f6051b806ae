-- a view over a table that does not exist
CREATE VIEW v AS SELECT a FROM nowhere;
