-- facets_rows
--   p0 = "plan"
--   p1 = "1796038496789000000"
--   p2 = "1796042096789000000"
--   p3 = "800000000"
--   project = "default"
--   SETTING group_by_overflow_mode = throw
--   SETTING max_rows_to_group_by = 2000000
--   SETTING precise_float_parsing = 1
SELECT f, v, total, weight, strata, parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT f, v, sum(n) AS total, sum(w) AS weight, emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts
  FROM (
    SELECT stratum,
      toUInt8(multiIf(grouping(k0) = 0, 0, grouping(k1) = 0, 1, 255)) AS f,
      multiIf(f = 0, k0, f = 1, k1, '') AS marked,
      multiIf(f = 0, marked, f = 1, substring(marked, 2), marked) AS v,
      multiIf(f = 0, 1, f = 1, marked != '', 1) AS present,
      count() AS n, sum(row_weight) AS w
    FROM (
      SELECT toUInt64(0) AS stratum, toString(env) AS k0, if(mapContains(attributes, {p0:String}), concat('=', attributes[{p0:String}]), '') AS k1, toUInt64(weight) AS row_weight
      FROM requests
      WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
  AND duration > {p3:UInt64}
    )
    GROUP BY GROUPING SETS ((stratum, k0), (stratum, k1))
  )
  WHERE present
  GROUP BY f, v
)
ORDER BY f, total DESC, v
LIMIT 11 BY f
