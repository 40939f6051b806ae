-- an upsert sink fed twice in one statement set: each INSERT is a writer of its own, kinds of both arrive
CREATE TABLE a (k STRING NOT NULL, v INT) WITH ('connector' = 'inline');
CREATE TABLE o (k STRING, a INT, b INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
--! data a
--! +I['x', 1]
--! +I['x', 2]
--! +I['y', 5]
EXECUTE STATEMENT SET BEGIN
  INSERT INTO o (k, a) SELECT k, SUM(v) FROM a GROUP BY k;
  INSERT INTO o (k, b) SELECT k, CAST(COUNT(*) AS INT) FROM a WHERE v < 5 GROUP BY k;
END;
