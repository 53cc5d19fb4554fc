-- complete_journey
--   p0 = "1796036400000000000"
--   p1 = "1796043600000000000"
--   p2 = "account_id"
--   p3 = "ac"
--   p4 = "ad"
--   project = "default"
--   SETTING max_rows_to_read = 5000000
--   SETTING optimize_aggregation_in_order = 1
--   SETTING read_overflow_mode = break
SELECT value, count() AS count
FROM journey
WHERE project = {project:String}
  AND key = {p2:String}
  AND value >= {p3:String} AND value < {p4:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
GROUP BY project, key, value
ORDER BY project, key, value
LIMIT 20

-- complete_journey
--   p0 = "1795438800000000000"
--   p1 = "1796043600000000000"
--   p2 = "account_id"
--   project = "default"
--   SETTING max_rows_to_read = 5000000
--   SETTING optimize_aggregation_in_order = 1
--   SETTING read_overflow_mode = break
SELECT value, count() AS count
FROM journey
WHERE project = {project:String}
  AND key = {p2:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
GROUP BY project, key, value
ORDER BY project, key, value
LIMIT 20

-- complete_journey_key
--   p0 = "1796036400000000000"
--   p1 = "1796043600000000000"
--   p2 = "ac"
--   p3 = "ac"
--   project = "default"
SELECT toString(key)
FROM journey
WHERE project = {project:String}
  AND key >= {p3:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
ORDER BY project, key
LIMIT 1

-- complete_journey_key
--   p0 = "1796036400000000000"
--   p1 = "1796043600000000000"
--   p2 = "account_id"
--   project = "default"
SELECT toString(key)
FROM journey
WHERE project = {project:String}
  AND key > {p2:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
ORDER BY project, key
LIMIT 1
