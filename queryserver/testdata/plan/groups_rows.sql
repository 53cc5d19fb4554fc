-- groups_rows
--   p0 = "plan"
--   p1 = "1795437296789000000"
--   p2 = "1794832496789000000"
--   p3 = "1796042096789000000"
--   p4 = "500"
--   project = "default"
--   SETTING group_by_overflow_mode = throw
--   SETTING max_rows_to_group_by = 1000000
--   SETTING precise_float_parsing = 1
SELECT period, k0, k1, sum(n) AS total, sum(bad) AS errors, sum(w) AS weight, sum(size) AS sizes, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT toUInt8(ts >= fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) AS period, toString(env) AS k0, attributes[{p0:String}] AS k1,
    toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), 984), 1239) - 984) AS b,
    count() AS n, countIf(status >= 500) AS bad, sum(toUInt64(requests.weight)) AS w, toUInt64(sum(request_bytes + response_bytes)) AS size
  FROM requests
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND status >= {p4:UInt64}
  GROUP BY period, k0, k1, b
)
GROUP BY period, k0, k1
ORDER BY period DESC, total DESC, k0, k1
LIMIT 10001 BY period
