-- facets_counts
--   p0 = "api"
--   p1 = "1796038496789000000"
--   p2 = "1796038500000000000"
--   p3 = "1796038500"
--   p4 = "1796042040"
--   p5 = "1796042040000000000"
--   p6 = "1796042096789000000"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT f, v, total, weight, emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT entry.1 AS f, entry.2 AS v, sum(n) AS total, sum(w) AS weight
  FROM (
    SELECT toString(status) AS k0, toString(route) AS k1, if(status = 0, 'none', concat(toString(intDiv(status, 100)), 'xx')) AS k2, sum(n) AS n, sum(w) AS w
    FROM (
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND service = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, minute AS t, service, route, method, status, cnt AS n, weight AS w
  FROM cnt_m
  WHERE project = {project:String} AND minute >= toDateTime({p3:Int64}, 'UTC') AND minute < toDateTime({p4:Int64}, 'UTC') AND service = {p0:String}
  UNION ALL
  SELECT toUInt8(1) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND service = {p0:String}
    )
    GROUP BY k0, k1, k2
  )
  ARRAY JOIN [(toUInt8(0), k0), (toUInt8(1), k1), (toUInt8(2), k2)] AS entry
  GROUP BY f, v
  HAVING 1
)
ORDER BY f, total DESC, v
LIMIT 11 BY f
