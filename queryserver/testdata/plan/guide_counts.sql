-- guide
--   p0 = "500"
--   p1 = "/a"
--   p2 = "1795435200"
--   p3 = "1796043600"
--   project = "default"
SELECT toInt64(toUnixTimestamp(hour)) AS t, sum(cnt) AS n
FROM cnt_h
WHERE project = {project:String}
  AND (hour >= toDateTime({p2:Int64}, 'UTC') AND hour < toDateTime({p3:Int64}, 'UTC'))
  AND status >= {p0:UInt64}
  AND route = {p1:String}
GROUP BY t

-- guide
--   p0 = "500"
--   p1 = "/a"
--   p2 = "1795435200"
--   p3 = "1796043600"
--   project = "default"
SELECT toInt64(toUnixTimestamp(minute)) AS t, sum(cnt) AS n
FROM cnt_m
WHERE project = {project:String}
  AND (minute >= toDateTime({p2:Int64}, 'UTC') AND minute < toDateTime({p3:Int64}, 'UTC'))
  AND status >= {p0:UInt64}
  AND route = {p1:String}
GROUP BY t
