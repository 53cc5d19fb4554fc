-- facets_rows
--   p0 = "account_id"
--   p1 = "1796038496789000000"
--   p10 = "1800000000000"
--   p11 = "1796038496789000000"
--   p12 = "1800000000000"
--   p13 = "900000000001"
--   p14 = "899999999999"
--   p15 = "acc"
--   p2 = "1800000000000"
--   p3 = "1796038496789000000"
--   p4 = "1796042096789000000"
--   p5 = "1796038496789000000"
--   p6 = "1796039396789000000"
--   p7 = "1796040552071866470"
--   p8 = "1796041452071866470"
--   p9 = "1796038496789000000"
--   project = "default"
--   SETTING group_by_overflow_mode = throw
--   SETTING max_rows_to_group_by = 2000000
--   SETTING precise_float_parsing = 1
SELECT f, v, total, weight, strata, parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT f, v, sum(n) AS total, sum(w) AS weight, groupArray(stratum) AS strata, groupArray(n) AS parts
  FROM (
    SELECT stratum,
      toUInt8(multiIf(grouping(k0) = 0, 0, 255)) AS f,
      multiIf(f = 0, k0, '') AS marked,
      multiIf(f = 0, substring(marked, 2), marked) AS v,
      multiIf(f = 0, marked != '', 1) AS present,
      count() AS n, sum(row_weight) AS w
    FROM (
      SELECT toUInt64(intDiv(toUnixTimestamp64Nano(ts) - {p1:Int64}, {p2:Int64})) AS stratum, if(mapContains(correlation, {p0:String}), concat('=', correlation[{p0:String}]), '') AS k0, toUInt64(weight) AS row_weight
      FROM requests
      WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND indexHint(ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC') OR ts >= fromUnixTimestamp64Nano({p7:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p8:Int64}, 'UTC'))
  AND (toUnixTimestamp64Nano(ts) - {p9:Int64}) % {p10:Int64} - toInt64(bitShiftRight(toUInt64(intDiv(toUnixTimestamp64Nano(ts) - {p11:Int64}, {p12:Int64})) * 11400714819323198485, 11) % {p13:UInt64}) BETWEEN 0 AND {p14:Int64}
    )
    GROUP BY GROUPING SETS ((stratum, k0))
  )
  WHERE present
    AND startsWith(v, {p15:String})
  GROUP BY f, v
)
ORDER BY f, total DESC, v
LIMIT 11 BY f
