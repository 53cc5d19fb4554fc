-- heatmap
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
SELECT toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p0:Int64}, {p1:Int64})) AS c, b, sum(n) AS total
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
GROUP BY c, b
ORDER BY c, b
