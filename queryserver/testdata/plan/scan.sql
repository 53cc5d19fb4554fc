-- scan
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "500"
--   project = "default"
--   SETTING precise_float_parsing = 1
EXPLAIN ESTIMATE
SELECT rid
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND status >= {p2:UInt64}
