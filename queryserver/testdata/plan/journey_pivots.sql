-- journey_pivots
--   p0 = "[(1796042096789000000,7)]"
--   p1 = "order_id"
--   p2 = "o_9"
--   p3 = "1796042040000000000"
--   p4 = "1796042100000000000"
--   project = "default"
SELECT entry.1 AS k, entry.2 AS v, countIf(direct) AS on_it, countIf(NOT direct) AS linked, min(ts) AS first, max(ts) AS last
FROM (
  SELECT ts, arrayJoin(CAST(correlation, 'Array(Tuple(String, String))')) AS entry, (toUnixTimestamp64Nano(ts), rid) IN {p0:Array(Tuple(Int64, UInt64))} AS direct
  FROM requests
  WHERE project = {project:String}
    AND indexHint(ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND ((toUnixTimestamp64Nano(ts), rid) IN {p0:Array(Tuple(Int64, UInt64))} OR trace_id IN (CAST([], 'Array(FixedString(16))')))
  UNION ALL
  SELECT ts, arrayJoin(CAST(correlation, 'Array(Tuple(String, String))')) AS entry, (toUnixTimestamp64Nano(ts), rid) IN {p0:Array(Tuple(Int64, UInt64))} AS direct
  FROM spans
  WHERE project = {project:String}
    AND indexHint(ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND ((toUnixTimestamp64Nano(ts), rid) IN {p0:Array(Tuple(Int64, UInt64))} OR trace_id IN (CAST([], 'Array(FixedString(16))')))
  UNION ALL
  SELECT ts, arrayJoin(CAST(correlation, 'Array(Tuple(String, String))')) AS entry, (toUnixTimestamp64Nano(ts), rid) IN {p0:Array(Tuple(Int64, UInt64))} AS direct
  FROM events
  WHERE project = {project:String}
    AND indexHint(ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC'))
    AND ((toUnixTimestamp64Nano(ts), rid) IN {p0:Array(Tuple(Int64, UInt64))} OR trace_id IN (CAST([], 'Array(FixedString(16))')))
)
WHERE NOT (k = {p1:String} AND v = {p2:String})
GROUP BY k, v
ORDER BY on_it + linked DESC, k, v
LIMIT 200
