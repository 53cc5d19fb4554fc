-- heatmap_routes
--   p0 = "1795955696789000000"
--   p1 = "1795955700000000000"
--   p2 = "1795955700"
--   p3 = "1795957200"
--   p4 = "1795957200"
--   p5 = "1796040000"
--   p6 = "1796040000"
--   p7 = "1796042040"
--   p8 = "1796042040000000000"
--   p9 = "1796042096789000000"
--   project = "default"
SELECT service, method, route, sum(n) AS total
FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p2:Int64}, 'UTC') AND minute < toDateTime({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, hour AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_h
  WHERE project = {project:String} AND hour >= toDateTime({p4:Int64}, 'UTC') AND hour < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p6:Int64}, 'UTC') AND minute < toDateTime({p7:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p8:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p9:Int64}, 'UTC')
)
GROUP BY service, method, route
ORDER BY total DESC, service, method, route
LIMIT 51

-- heatmap_route_latency
--   p0 = "1795955400"
--   p1 = "900"
--   p10 = "1796042040000000000"
--   p11 = "1796042096789000000"
--   p2 = "1795955696789000000"
--   p3 = "1795955700000000000"
--   p4 = "1795955700"
--   p5 = "1795956300"
--   p6 = "1795956300"
--   p7 = "1796041800"
--   p8 = "1796041800"
--   p9 = "1796042040"
--   project = "default"
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, service, method, route, groupArray(b) AS buckets, groupArray(n) AS counts
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
  SELECT toUInt8(1) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p6:Int64}, 'UTC') AND quarter < toDateTime({p7:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p8:Int64}, 'UTC') AND minute < toDateTime({p9:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p11:Int64}, 'UTC')
)
GROUP BY c, service, method, route
ORDER BY c

-- heatmap_route_errors
--   p0 = "1795955400"
--   p1 = "900"
--   p2 = "1795955696789000000"
--   p3 = "1795955700000000000"
--   p4 = "1795955700"
--   p5 = "1796042040"
--   p6 = "1796042040000000000"
--   p7 = "1796042096789000000"
--   project = "default"
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, service, method, route, sum(n) AS errors
FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p4:Int64}, 'UTC') AND minute < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
)
WHERE status >= 500
GROUP BY c, service, method, route
