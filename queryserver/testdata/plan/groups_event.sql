-- groups_rows
--   p0 = "1795437296789000000"
--   p1 = "1795437296789000000"
--   p2 = "1796042096789000000"
--   project = "default"
--   SETTING group_by_overflow_mode = throw
--   SETTING max_rows_to_group_by = 1000000
--   SETTING precise_float_parsing = 1
SELECT period, k0, sum(n) AS total, sum(bad) AS errors, sum(w) AS weight, sum(size) AS sizes, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT toUInt8(ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')) AS period, toString(name) AS k0,
    toUInt8(0) AS b,
    count() AS n, countIf(severity >= 17) AS bad, sum(toUInt64(events.weight)) AS w, toUInt64(sum(0)) AS size
  FROM events
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
  GROUP BY period, k0, b
)
GROUP BY period, k0
ORDER BY period DESC, total DESC, k0
LIMIT 10001 BY period
