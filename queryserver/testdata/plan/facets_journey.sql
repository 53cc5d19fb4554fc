-- scan_journey
--   p0 = "user_id"
--   p1 = "1796038496789000000"
--   p2 = "1796042096789000000"
--   project = "default"
EXPLAIN ESTIMATE
SELECT rid
FROM journey
WHERE project = {project:String}
    AND key = {p0:String}
    AND kind = 'request'
    AND ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p2:Int64}, 'UTC')

-- facets_journey
--   p0 = "user_id"
--   p1 = "1796038496789000000"
--   p2 = "1796042096789000000"
--   p3 = "u_11"
--   project = "default"
SELECT toUInt8(0) AS f, v, total, total * 256 AS weight, emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT value AS v, count() AS total
  FROM journey
  WHERE project = {project:String}
    AND key = {p0:String}
    AND kind = 'request'
    AND ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
    AND startsWith(value, {p3:String})
  GROUP BY v
)
ORDER BY f, total DESC, v
LIMIT 11 BY f
