-- comments of all kinds, options in any case and order, trailing commas are errors elsewhere, statements over many lines, empty statements
-- a second comment line
CREATE TABLE t ( -- a comment in a statement
  a INT COMMENT 'it''s a comment', /* a block
  comment */ `weird ``name` STRING
)
COMMENT 'a table'
WITH (
  'connector' = 'inline',
  'changelog-mode' = 'i, ub, ua, d'
);
--! data t
--! +I[1, 'a--b']
--! +I[2, '/* c */']
--! -D[1, 'a--b']
select a, `weird ``name` As w from t where `weird ``name` <> '--';;
Select Count( * ) as C
From   t
;
