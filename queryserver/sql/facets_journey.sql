SELECT toUInt8(0) AS f, v, total, total * 256 AS weight, emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT value AS v, count() AS total
  FROM journey
  WHERE project = {project:String}{{.Where}}
  GROUP BY v
)
ORDER BY f, total DESC, v
LIMIT {{.Limit}} BY f
