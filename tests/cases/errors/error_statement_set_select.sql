-- a SELECT in a statement set
CREATE TABLE t (a INT) WITH ('connector' = 'inline');
EXECUTE STATEMENT SET BEGIN
  SELECT a FROM t;
END;
