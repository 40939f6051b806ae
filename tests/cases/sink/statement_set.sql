-- a statement set runs as one job: several targets, one target twice, a view shared by two inserts
CREATE TABLE t (k STRING, v INT) WITH ('connector' = 'inline');
CREATE TABLE big (k STRING, v INT) WITH ('connector' = 'inline');
CREATE TABLE agg (k STRING, s INT, PRIMARY KEY (k) NOT ENFORCED) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I,UA,D');
CREATE VIEW pos AS SELECT k, v FROM t WHERE v > 0;
--! data t
--! +I['a', 1]
--! +I['b', 20]
--! +I['a', -5]
--! +I['a', 30]
EXECUTE STATEMENT SET BEGIN
  INSERT INTO big SELECT k, v FROM pos WHERE v > 10;
  INSERT INTO agg SELECT k, SUM(v) FROM pos GROUP BY k;
END;
EXECUTE STATEMENT SET
BEGIN
  INSERT INTO agg SELECT k, MAX(v) FROM t GROUP BY k;
END;
