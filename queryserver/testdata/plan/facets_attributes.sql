-- facets_attributes
--   p0 = "plan"
--   p1 = "region"
--   p2 = "1795437296789000000"
--   p3 = "1795438800000000000"
--   p4 = "1795438800"
--   p5 = "1796040000"
--   p6 = "1796040000000000000"
--   p7 = "1796042096789000000"
--   p8 = "ent"
--   project = "default"
--   SETTING precise_float_parsing = 1
SELECT f, v, total, weight, emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT toUInt8(indexOf([{p0:String}, {p1:String}], key) - 1) AS f, v, sum(n) AS total, sum(w) AS weight
  FROM (
  SELECT substring(item, 1, position(item, '=') - 1) AS key, substring(item, position(item, '=') + 1) AS v, count() AS n, sum(weight) AS w
  FROM (
    SELECT toString(arrayJoin(facet_items)) AS item, toUInt64(weight) AS weight
    FROM requests
    WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  )
  WHERE position(item, '=') > 1
  GROUP BY key, v
  UNION ALL
  SELECT toString(field) AS key, value AS v, sum(cnt) AS n, sum(facets.weight) AS w
  FROM facets
  WHERE project = {project:String} AND field IN ({p0:String}, {p1:String}) AND hour >= toDateTime({p4:Int64}, 'UTC') AND hour < toDateTime({p5:Int64}, 'UTC')
  GROUP BY key, v
  UNION ALL
  SELECT substring(item, 1, position(item, '=') - 1) AS key, substring(item, position(item, '=') + 1) AS v, count() AS n, sum(weight) AS w
  FROM (
    SELECT toString(arrayJoin(facet_items)) AS item, toUInt64(weight) AS weight
    FROM requests
    WHERE project = {project:String} AND ts >= fromUnixTimestamp64Nano({p6:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p7:Int64}, 'UTC')
  )
  WHERE position(item, '=') > 1
  GROUP BY key, v
  )
  WHERE key IN ({p0:String}, {p1:String})
    AND startsWith(v, {p8:String})
  GROUP BY f, v
)
ORDER BY f, total DESC, v
LIMIT 11 BY f
