-- groups_counts
--   p0 = "GET"
--   p1 = "1794832496789000000"
--   p10 = "1795437296789000000"
--   p11 = "1795437296789000000"
--   p12 = "1795437300000000000"
--   p13 = "1795437300"
--   p14 = "1795438800"
--   p15 = "1795438800"
--   p16 = "1796040000"
--   p17 = "1796040000"
--   p18 = "1796042040"
--   p19 = "1796042040000000000"
--   p2 = "1794832500000000000"
--   p20 = "1796042096789000000"
--   p3 = "1794832500"
--   p4 = "1794834000"
--   p5 = "1794834000"
--   p6 = "1795435200"
--   p7 = "1795435200"
--   p8 = "1795437240"
--   p9 = "1795437240000000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT period, toString(service) AS k0, toString(route) AS k1, sum(n) AS total, sumIf(n, status >= 500) AS errors, sum(w) AS weight, sum(size) AS sizes
FROM (
  SELECT toUInt8(0) AS period, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w, request_bytes + response_bytes AS size
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, service, route, method, status, cnt AS n, weight AS w, bytes AS size
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p3:Int64}, 'UTC') AND minute < toDateTime({p4:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, service, route, method, status, cnt AS n, weight AS w, bytes AS size
  FROM cnt_h
  WHERE project = {project:String} AND hour >= toDateTime({p5:Int64}, 'UTC') AND hour < toDateTime({p6:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, service, route, method, status, cnt AS n, weight AS w, bytes AS size
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p7:Int64}, 'UTC') AND minute < toDateTime({p8:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w, request_bytes + response_bytes AS size
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p9:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p10:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w, request_bytes + response_bytes AS size
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p11:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p12:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, service, route, method, status, cnt AS n, weight AS w, bytes AS size
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p13:Int64}, 'UTC') AND minute < toDateTime({p14:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, service, route, method, status, cnt AS n, weight AS w, bytes AS size
  FROM cnt_h
  WHERE project = {project:String} AND hour >= toDateTime({p15:Int64}, 'UTC') AND hour < toDateTime({p16:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, service, route, method, status, cnt AS n, weight AS w, bytes AS size
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p17:Int64}, 'UTC') AND minute < toDateTime({p18:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w, request_bytes + response_bytes AS size
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p19:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p20:Int64}, 'UTC') AND method = {p0:String}
)
GROUP BY period, k0, k1
ORDER BY period DESC, total DESC, k0, k1
LIMIT 10001 BY period

-- groups_latencies
--   p0 = "GET"
--   p1 = "1794832496789000000"
--   p10 = "1795437000"
--   p11 = "1795437000"
--   p12 = "1795437240"
--   p13 = "1795437240000000000"
--   p14 = "1795437296789000000"
--   p15 = "1795437296789000000"
--   p16 = "1795437300000000000"
--   p17 = "1795437300"
--   p18 = "1795437900"
--   p19 = "1795437900"
--   p2 = "1794832500000000000"
--   p20 = "1795438800"
--   p21 = "1795438800"
--   p22 = "1796040000"
--   p23 = "1796040000"
--   p24 = "1796041800"
--   p25 = "1796041800"
--   p26 = "1796042040"
--   p27 = "1796042040000000000"
--   p28 = "1796042096789000000"
--   p3 = "1794832500"
--   p4 = "1794833100"
--   p5 = "1794833100"
--   p6 = "1794834000"
--   p7 = "1794834000"
--   p8 = "1795435200"
--   p9 = "1795435200"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT period, k0, k1, groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT period, toString(service) AS k0, toString(route) AS k1, b, sum(n) AS total
  FROM (
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p3:Int64}, 'UTC') AND minute < toDateTime({p4:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p5:Int64}, 'UTC') AND quarter < toDateTime({p6:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, hour AS t, service, route, method, b, cnt AS n
  FROM lat_h
  WHERE project = {project:String} AND hour >= toDateTime({p7:Int64}, 'UTC') AND hour < toDateTime({p8:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p9:Int64}, 'UTC') AND quarter < toDateTime({p10:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p11:Int64}, 'UTC') AND minute < toDateTime({p12:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(0) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p13:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p14:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p15:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p16:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p17:Int64}, 'UTC') AND minute < toDateTime({p18:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p19:Int64}, 'UTC') AND quarter < toDateTime({p20:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, hour AS t, service, route, method, b, cnt AS n
  FROM lat_h
  WHERE project = {project:String} AND hour >= toDateTime({p21:Int64}, 'UTC') AND hour < toDateTime({p22:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, quarter AS t, service, route, method, b, cnt AS n
  FROM lat_q
  WHERE project = {project:String} AND quarter >= toDateTime({p23:Int64}, 'UTC') AND quarter < toDateTime({p24:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, b, cnt AS n
  FROM lat_m
  WHERE project = {project:String} AND minute >= toDateTime({p25:Int64}, 'UTC') AND minute < toDateTime({p26:Int64}, 'UTC') AND method = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b, toUInt64(1) AS n
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p27:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p28:Int64}, 'UTC') AND method = {p0:String}
  )
  GROUP BY period, k0, k1, b
)
GROUP BY period, k0, k1
ORDER BY period DESC, sum(total) DESC, k0, k1
LIMIT 10001 BY period
