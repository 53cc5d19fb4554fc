-- journey
--   p0 = "order_id"
--   p1 = "o_9"
--   p2 = "1796038496789000000"
--   p3 = "1796042096789000000"
--   p4 = "1796038496789000000"
--   p5 = "7"
--   project = "default"
SELECT ts, rid, kind, service, name, status, duration_ms
FROM journey
WHERE project = {project:String}
  AND key = {p0:String}
  AND value = {p1:String}
  AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND (ts, rid) > (fromUnixTimestamp64Nano({p4:Int64}, 'UTC'), {p5:UInt64})
ORDER BY ts, rid
LIMIT 201
