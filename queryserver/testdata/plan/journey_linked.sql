-- traces_minutes
--   p0 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   p1 = "1795437240"
--   p2 = "1796042100"
--   project = "default"
SELECT DISTINCT minute
FROM trace_index
WHERE project = {project:String}
  AND h IN (arrayMap(x -> reinterpretAsUInt32(unhex(x)), splitByChar(',', {p0:String})))
  AND minute >= toDateTime({p1:Int64}, 'UTC')
  AND minute < toDateTime({p2:Int64}, 'UTC')
ORDER BY minute
LIMIT 1440

-- journey_linked
--   p0 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   p1 = "order_id"
--   p2 = "o_9"
--   p3 = "1795437296789000000"
--   p4 = "1796042096789000000"
--   p5 = "1796042040000000000"
--   p6 = "1796042100000000000"
--   project = "default"
SELECT ts, rid, kind, service, name, status, duration_ms, trace_id
FROM (
  SELECT ts, rid, 'request' AS kind, service, if(method = '', toString(name), concat(toString(method), ' ', toString(route))) AS name, status AS status, duration_ms AS duration_ms, trace_id
  FROM requests
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND indexHint(ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND trace_id IN (arrayMap(x -> toFixedString(unhex(x), 16), splitByChar(',', {p0:String})))
    AND NOT (correlation[{p1:String}] = {p2:String} AND mapContains(correlation, {p1:String}))
  UNION ALL
  SELECT ts, rid, 'span' AS kind, service, toString(name) AS name, status AS status, duration_ms AS duration_ms, trace_id
  FROM spans
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND indexHint(ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND trace_id IN (arrayMap(x -> toFixedString(unhex(x), 16), splitByChar(',', {p0:String})))
    AND NOT (correlation[{p1:String}] = {p2:String} AND mapContains(correlation, {p1:String}))
  UNION ALL
  SELECT ts, rid, 'event' AS kind, service, toString(name) AS name, toUInt16(0) AS status, toFloat32(0) AS duration_ms, trace_id
  FROM events
  WHERE project = {project:String}
    AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
    AND indexHint(ts >= fromUnixTimestamp64Nano({p5:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p6:Int64}, 'UTC'))
    AND trace_id IN (arrayMap(x -> toFixedString(unhex(x), 16), splitByChar(',', {p0:String})))
    AND NOT (correlation[{p1:String}] = {p2:String} AND mapContains(correlation, {p1:String}))
)
ORDER BY ts, rid
LIMIT 1001
