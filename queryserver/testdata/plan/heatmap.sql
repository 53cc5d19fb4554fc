-- heatmap
--   p0 = "1796038440"
--   p1 = "60"
--   p2 = "api"
--   p3 = "/projects/:id/tasks"
--   p4 = "1796038496789000000"
--   p5 = "1796038500000000000"
--   p6 = "1796038500"
--   p7 = "1796042040"
--   p8 = "1796042040000000000"
--   p9 = "1796042096789000000"
--   project = "default"
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, b, sum(n) AS total
FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND service = {p2:String} AND route = {p3:String}
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p6:Int64}, 'UTC') AND minute < toDateTime({p7:Int64}, 'UTC') AND service = {p2:String} AND route = {p3:String}
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p8:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p9:Int64}, 'UTC') AND service = {p2:String} AND route = {p3:String}
)
GROUP BY c, b
ORDER BY c, b
