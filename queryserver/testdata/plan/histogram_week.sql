-- histogram
--   p0 = "1795435200"
--   p1 = "10800"
--   p10 = "1796040000"
--   p11 = "1796042040"
--   p12 = "1796042040000000000"
--   p13 = "1796042096789000000"
--   p2 = "500"
--   p3 = "api"
--   p4 = "1795437296789000000"
--   p5 = "1795437300000000000"
--   p6 = "1795437300"
--   p7 = "1795438800"
--   p8 = "1795438800"
--   p9 = "1796040000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, if(status = 0, 'none', concat(toString(intDiv(status, 100)), 'xx')) AS k, sum(n) AS total, sum(w) AS weight
FROM (
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND status >= {p2:UInt64} AND service = {p3:String}
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p6:Int64}, 'UTC') AND minute < toDateTime({p7:Int64}, 'UTC') AND status >= {p2:UInt64} AND service = {p3:String}
  UNION ALL
  SELECT toUInt8(0) AS period, hour AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_h
  WHERE project = {project:String} AND hour >= toDateTime({p8:Int64}, 'UTC') AND hour < toDateTime({p9:Int64}, 'UTC') AND status >= {p2:UInt64} AND service = {p3:String}
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p10:Int64}, 'UTC') AND minute < toDateTime({p11:Int64}, 'UTC') AND status >= {p2:UInt64} AND service = {p3:String}
  UNION ALL
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p13:Int64}, 'UTC') AND status >= {p2:UInt64} AND service = {p3:String}
)
GROUP BY c, k
ORDER BY c, k
