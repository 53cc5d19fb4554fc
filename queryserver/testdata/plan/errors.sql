-- errors
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "500"
--   p3 = "1796038440"
--   p4 = "120"
--   project = "default"
--   SETTING group_by_overflow_mode = throw
--   SETTING max_rows_to_group_by = 1000000
--   SETTING precise_float_parsing = 1
SELECT error_group, any(kind) AS error_kind, any(at_service) AS in_service, any(at_route) AS on_route, sum(n) AS total, sum(w) AS weights, min(since) AS first, max(until) AS last, argMax(newest, until) AS sample,
  groupArray(rel) AS releases, groupArray(since) AS sinces, groupArray(until) AS untils, groupArray(c) AS columns, groupArray(n) AS counts
FROM (
  WITH toDateTime(ts, 'UTC') AS t
  SELECT error_group, toString(release) AS rel, toUInt32(intDiv(toInt64(toUnixTimestamp(t)) - {p3:Int64}, {p4:Int64})) AS c, any(toString(error_type)) AS kind, any(toString(service)) AS at_service, any(toString(route)) AS at_route,
    count() AS n, sum(toUInt64(requests.weight)) AS w, min(ts) AS since, max(ts) AS until, argMax(rid, ts) AS newest
  FROM requests
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
    AND error_group != 0
  AND status >= {p2:UInt64}
  GROUP BY error_group, rel, c
)
GROUP BY error_group
ORDER BY last DESC, error_group
LIMIT 10001

-- errors_messages
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "[1796042096789000000,1796042096789000000]"
--   p3 = "[7,9223372036854775808]"
--   project = "default"
SELECT error_group, substringUTF8(error_message, 1, 500) AS message
FROM requests
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND (ts, rid) IN (
    SELECT fromUnixTimestamp64Nano(place.1, 'UTC'), place.2
    FROM (SELECT arrayJoin(arrayZip({p2:Array(Int64)}, {p3:Array(UInt64)})) AS place)
  )
