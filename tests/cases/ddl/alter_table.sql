-- ALTER TABLE: options, watermark, columns, the primary key, names
CREATE TABLE t (id INT, v STRING, ts TIMESTAMP(3)) WITH ('connector' = 'inline', 'changelog-mode' = 'I,UB,UA,D');
ALTER TABLE t ADD WATERMARK FOR ts AS ts - INTERVAL '5' SECOND;
DESCRIBE t;
ALTER TABLE t MODIFY WATERMARK FOR ts AS ts;
ALTER TABLE t ADD (w DOUBLE, twice AS id * 2);
ALTER TABLE t MODIFY id BIGINT;
DESCRIBE t;
ALTER TABLE t DROP WATERMARK;
ALTER TABLE t DROP (w);
ALTER TABLE t SET ('changelog-mode' = 'I');
ALTER TABLE t RENAME v TO label;
ALTER TABLE t RENAME TO u;
DESCRIBE u;
--! data u
--! +I[1, 'a', '2024-01-01 00:00:00']
--! +I[2, NULL, NULL]
SELECT id, label, twice, ts FROM u;
