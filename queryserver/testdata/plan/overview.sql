-- totals
--   p0 = "1794832496789000000"
--   p1 = "1794832500000000000"
--   p10 = "1795437296789000000"
--   p11 = "1795437300000000000"
--   p12 = "1795437300"
--   p13 = "1795438800"
--   p14 = "1795438800"
--   p15 = "1796040000"
--   p16 = "1796040000"
--   p17 = "1796042040"
--   p18 = "1796042040000000000"
--   p19 = "1796042096789000000"
--   p2 = "1794832500"
--   p3 = "1794834000"
--   p4 = "1794834000"
--   p5 = "1795435200"
--   p6 = "1795435200"
--   p7 = "1795437240"
--   p8 = "1795437240000000000"
--   p9 = "1795437296789000000"
--   project = "default"
SELECT period, sum(n) AS total, sumIf(n, status >= 500) AS errors, sum(w) AS weight
FROM (
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p2:Int64}, 'UTC') AND minute < toDateTime({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, hour AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_h
  WHERE project = {project:String} AND hour >= toDateTime({p4:Int64}, 'UTC') AND hour < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p6:Int64}, 'UTC') AND minute < toDateTime({p7:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p8:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p9:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p10:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p11:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p12:Int64}, 'UTC') AND minute < toDateTime({p13:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, hour AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_h
  WHERE project = {project:String} AND hour >= toDateTime({p14:Int64}, 'UTC') AND hour < toDateTime({p15:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p16:Int64}, 'UTC') AND minute < toDateTime({p17:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p18:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p19:Int64}, 'UTC')
)
GROUP BY period

-- total_latency
--   p0 = "1794832496789000000"
--   p1 = "1794832500000000000"
--   p10 = "1795437000"
--   p11 = "1795437240"
--   p12 = "1795437240000000000"
--   p13 = "1795437296789000000"
--   p14 = "1795437296789000000"
--   p15 = "1795437300000000000"
--   p16 = "1795437300"
--   p17 = "1795437900"
--   p18 = "1795437900"
--   p19 = "1795438800"
--   p2 = "1794832500"
--   p20 = "1795438800"
--   p21 = "1796040000"
--   p22 = "1796040000"
--   p23 = "1796041800"
--   p24 = "1796041800"
--   p25 = "1796042040"
--   p26 = "1796042040000000000"
--   p27 = "1796042096789000000"
--   p3 = "1794833100"
--   p4 = "1794833100"
--   p5 = "1794834000"
--   p6 = "1794834000"
--   p7 = "1795435200"
--   p8 = "1795435200"
--   p9 = "1795437000"
--   project = "default"
SELECT period, groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT period, b, sum(n) AS total
  FROM (
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p2:Int64}, 'UTC') AND minute < toDateTime({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p4:Int64}, 'UTC') AND quarter < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, hour AS t, service, route, method, b, cnt AS n
  FROM lat_h
  WHERE project = {project:String} AND hour >= toDateTime({p6:Int64}, 'UTC') AND hour < toDateTime({p7:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p8:Int64}, 'UTC') AND quarter < toDateTime({p9:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p10:Int64}, 'UTC') AND minute < toDateTime({p11:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p13:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p14:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p15:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p16:Int64}, 'UTC') AND minute < toDateTime({p17:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p18:Int64}, 'UTC') AND quarter < toDateTime({p19:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, hour AS t, service, route, method, b, cnt AS n
  FROM lat_h
  WHERE project = {project:String} AND hour >= toDateTime({p20:Int64}, 'UTC') AND hour < toDateTime({p21:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p22:Int64}, 'UTC') AND quarter < toDateTime({p23:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p24:Int64}, 'UTC') AND minute < toDateTime({p25:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p26:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p27:Int64}, 'UTC')
  )
  GROUP BY period, b
)
GROUP BY period

-- routes
--   p0 = "1795437296789000000"
--   p1 = "1795437300000000000"
--   p2 = "1795437300"
--   p3 = "1795438800"
--   p4 = "1795438800"
--   p5 = "1796040000"
--   p6 = "1796040000"
--   p7 = "1796042040"
--   p8 = "1796042040000000000"
--   p9 = "1796042096789000000"
--   project = "default"
SELECT service, method, route, sum(n) AS total, sumIf(n, status >= 500) AS errors, sum(w) AS weight
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
LIMIT 100

-- route_latency
--   p0 = "1795437296789000000"
--   p1 = "1795437300000000000"
--   p10 = "1796041800"
--   p11 = "1796042040"
--   p12 = "1796042040000000000"
--   p13 = "1796042096789000000"
--   p2 = "1795437300"
--   p3 = "1795437900"
--   p4 = "1795437900"
--   p5 = "1795438800"
--   p6 = "1795438800"
--   p7 = "1796040000"
--   p8 = "1796040000"
--   p9 = "1796041800"
--   project = "default"
SELECT service, method, route, groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT service, method, route, b, sum(n) AS total
  FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p2:Int64}, 'UTC') AND minute < toDateTime({p3:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p4:Int64}, 'UTC') AND quarter < toDateTime({p5:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, hour AS t, service, route, method, b, cnt AS n
  FROM lat_h
  WHERE project = {project:String} AND hour >= toDateTime({p6:Int64}, 'UTC') AND hour < toDateTime({p7:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p8:Int64}, 'UTC') AND quarter < toDateTime({p9:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p10:Int64}, 'UTC') AND minute < toDateTime({p11:Int64}, 'UTC')
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p12:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p13:Int64}, 'UTC')
  )
  GROUP BY service, method, route, b
)
GROUP BY service, method, route
