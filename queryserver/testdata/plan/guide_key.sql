-- guide_key
--   p0 = "user_id"
--   p1 = "u_1137"
--   p2 = "user_id=u_1137"
--   p3 = "user_id=(other)"
--   p4 = "(other)"
--   p5 = "1795435200000000000"
--   p6 = "1796043600000000000"
--   project = "default"
SELECT t, sum(c) AS n
FROM (
  SELECT intDiv(toInt64(toUnixTimestamp(toDateTime(ts, 'UTC'))), 3600) * 3600 AS t, count() AS c
  FROM journey
  WHERE project = {project:String}
    AND key = {p0:String}
    AND value IN ({p1:String})
    AND kind = 'request'
    AND (ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  GROUP BY t
  UNION ALL
  SELECT intDiv(toInt64(toUnixTimestamp(toDateTime(ts, 'UTC'))), 3600) * 3600 AS t, count() AS c
  FROM requests
  WHERE project = {project:String}
    AND hasAny(facet_items, [{p2:String}, {p3:String}, {p4:String}])
    AND (ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  GROUP BY t
)
GROUP BY t

-- guide_key
--   p0 = "user_id"
--   p1 = "u_1137"
--   p2 = "user_id=u_1137"
--   p3 = "user_id=(other)"
--   p4 = "(other)"
--   p5 = "1795435200000000000"
--   p6 = "1796043600000000000"
--   project = "default"
SELECT t, sum(c) AS n
FROM (
  SELECT intDiv(toInt64(toUnixTimestamp(toDateTime(ts, 'UTC'))), 60) * 60 AS t, count() AS c
  FROM journey
  WHERE project = {project:String}
    AND key = {p0:String}
    AND value IN ({p1:String})
    AND kind = 'request'
    AND (ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  GROUP BY t
  UNION ALL
  SELECT intDiv(toInt64(toUnixTimestamp(toDateTime(ts, 'UTC'))), 60) * 60 AS t, count() AS c
  FROM requests
  WHERE project = {project:String}
    AND hasAny(facet_items, [{p2:String}, {p3:String}, {p4:String}])
    AND (ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
  GROUP BY t
)
GROUP BY t
