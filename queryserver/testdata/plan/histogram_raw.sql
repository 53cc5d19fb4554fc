-- histogram
--   p0 = "1796038440"
--   p1 = "60"
--   p2 = "1796038496789000000"
--   p3 = "1796042096789000000"
--   p4 = "800000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, toString(status) AS k, count() AS total, sum(w) AS weight
FROM (
  SELECT toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(requests.weight) AS w
  FROM requests
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND duration > {p4:UInt64}
)
GROUP BY c, k
ORDER BY c, k
