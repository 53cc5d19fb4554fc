-- heatmap_route_counts
--   p0 = "1796038440"
--   p1 = "60"
--   p2 = "1796038496789000000"
--   p3 = "1796038500000000000"
--   p4 = "1796038500"
--   p5 = "1796042040"
--   p6 = "1796042040000000000"
--   p7 = "1796042096789000000"
--   project = "default"
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, service, method, route, sum(n) AS total, sumIf(n, status >= 500) AS errors
FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p4:Int64}, 'UTC') AND minute < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
)
GROUP BY c, service, method, route
ORDER BY c, service, method, route

-- heatmap_route_latency
--   p0 = "1796038440"
--   p1 = "60"
--   p2 = "1796038496789000000"
--   p3 = "1796038500000000000"
--   p4 = "1796038500"
--   p5 = "1796042040"
--   p6 = "1796042040000000000"
--   p7 = "1796042096789000000"
--   project = "default"
SELECT c, service, method, route, groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, service, method, route, b, sum(n) AS total
  FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p4:Int64}, 'UTC') AND minute < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
  )
  GROUP BY c, service, method, route, b
)
GROUP BY c, service, method, route
