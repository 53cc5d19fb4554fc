-- histogram
--   p0 = "1796038440"
--   p1 = "60"
--   p2 = "1796038496789000000"
--   p3 = "1796038500000000000"
--   p4 = "1796038500"
--   p5 = "1796042040"
--   p6 = "1796042040000000000"
--   p7 = "1796042096789000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, '' AS k, sum(n) AS total, sum(w) AS weight
FROM (
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p4:Int64}, 'UTC') AND minute < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
)
GROUP BY c, k
ORDER BY c, k
