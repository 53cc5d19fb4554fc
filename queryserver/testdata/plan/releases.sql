-- releases
--   p0 = "1795437296789000000"
--   p1 = "1796042096789000000"
--   project = "default"
SELECT service, release, min(ts) AS first, max(ts) AS last, count() AS n
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND release NOT IN ('', '(other)')
GROUP BY service, release
ORDER BY first, service, release
LIMIT 2000

-- releases
--   p0 = "api"
--   p1 = "v1"
--   p2 = "1796038496789000000"
--   p3 = "1796042096789000000"
--   project = "default"
SELECT service, release, min(ts) AS first, max(ts) AS last, count() AS n
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND release NOT IN ('', '(other)')
  AND (service, release) IN (({p0:String}, {p1:String}))
GROUP BY service, release
ORDER BY first, service, release
LIMIT 2000
