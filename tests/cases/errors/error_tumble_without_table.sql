-- TUMBLE in FROM without TABLE(..)
CREATE TABLE e (id INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts) WITH ('connector' = 'inline');
SELECT window_start FROM TUMBLE(e, ts, INTERVAL '10' SECOND);
