-- an outer join into an append-only sink
CREATE TABLE l (k INT, lv STRING) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE r (k INT, rv STRING, w INT) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
CREATE TABLE o (a STRING, b STRING) WITH ('connector' = 'inline', 'sink.changelog-mode' = 'I');
INSERT INTO o SELECT lv, rv FROM l LEFT JOIN r ON l.k = r.k;
