-- complete_rows
--   p0 = "1795438800000000000"
--   p1 = "1796043600000000000"
--   p2 = ""
--   project = "default"
SELECT value, count() AS count
FROM (
  SELECT toString(severity) AS value
  FROM events
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  ORDER BY ts DESC
  LIMIT 10000
)
WHERE value != ''
  AND startsWith(value, {p2:String})
GROUP BY value
ORDER BY count DESC, value
LIMIT 20

-- complete_rows
--   p0 = "1796036400000000000"
--   p1 = "1796043600000000000"
--   p2 = "ac"
--   p3 = "http.route"
--   project = "default"
SELECT value, count() AS count
FROM (
  SELECT if(mapContains(attributes, {p3:String}), attributes[{p3:String}], toString(route)) AS value
  FROM requests
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  ORDER BY ts DESC
  LIMIT 10000
)
WHERE value != ''
  AND startsWith(value, {p2:String})
GROUP BY value
ORDER BY count DESC, value
LIMIT 20

-- complete_row_keys
--   p0 = "1795438800000000000"
--   p1 = "1796043600000000000"
--   p2 = ""
--   project = "default"
SELECT toString(value), count() AS count
FROM (
  SELECT mapKeys(attributes) AS keys
  FROM events
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  ORDER BY ts DESC
  LIMIT 10000
)
ARRAY JOIN keys AS value
WHERE startsWith(value, {p2:String})
GROUP BY value
ORDER BY count DESC, value
LIMIT 20
