-- a bare NULL as a result column
SELECT NULL AS x;
