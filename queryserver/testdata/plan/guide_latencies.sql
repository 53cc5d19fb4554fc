-- guide
--   p0 = "/a"
--   p1 = "1795435200"
--   p2 = "1796043600"
--   project = "default"
SELECT toInt64(toUnixTimestamp(hour)) AS t, sum(cnt) AS n
FROM lat_h
WHERE project = {project:String}
  AND (hour >= toDateTime({p1:Int64}, 'UTC') AND hour < toDateTime({p2:Int64}, 'UTC'))
  AND route = {p0:String}
  AND b BETWEEN 108 AND 255
GROUP BY t

-- guide
--   p0 = "/a"
--   p1 = "1795435200"
--   p2 = "1796043600"
--   project = "default"
SELECT toInt64(toUnixTimestamp(minute)) AS t, sum(cnt) AS n
FROM lat_m
WHERE project = {project:String}
  AND (minute >= toDateTime({p1:Int64}, 'UTC') AND minute < toDateTime({p2:Int64}, 'UTC'))
  AND route = {p0:String}
  AND b BETWEEN 108 AND 255
GROUP BY t
