-- heatmap_route_latency
--   p0 = "1796038440"
--   p1 = "60"
--   p10 = "/b"
--   p2 = "1796038496789000000"
--   p3 = "1796038500000000000"
--   p4 = "1796038500"
--   p5 = "1796042040"
--   p6 = "1796042040000000000"
--   p7 = "1796042096789000000"
--   p8 = "api"
--   p9 = "/a"
--   project = "default"
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, service, method, route, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND service IN ({p8:String}) AND route IN ({p9:String}, {p10:String})
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p4:Int64}, 'UTC') AND minute < toDateTime({p5:Int64}, 'UTC') AND service IN ({p8:String}) AND route IN ({p9:String}, {p10:String})
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC') AND service IN ({p8:String}) AND route IN ({p9:String}, {p10:String})
)
GROUP BY c, service, method, route
ORDER BY c

-- heatmap_route_errors
--   p0 = "1796038440"
--   p1 = "60"
--   p10 = "/b"
--   p2 = "1796038496789000000"
--   p3 = "1796038500000000000"
--   p4 = "1796038500"
--   p5 = "1796042040"
--   p6 = "1796042040000000000"
--   p7 = "1796042096789000000"
--   p8 = "api"
--   p9 = "/a"
--   project = "default"
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, service, method, route, sum(n) AS errors
FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND service IN ({p8:String}) AND route IN ({p9:String}, {p10:String})
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p4:Int64}, 'UTC') AND minute < toDateTime({p5:Int64}, 'UTC') AND service IN ({p8:String}) AND route IN ({p9:String}, {p10:String})
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC') AND service IN ({p8:String}) AND route IN ({p9:String}, {p10:String})
)
WHERE status >= 500
GROUP BY c, service, method, route
