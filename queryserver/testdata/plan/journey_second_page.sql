-- journey
--   p0 = "order_id"
--   p1 = "o_9"
--   p2 = "1796038496789000000"
--   p3 = "7"
--   p4 = "1795437296789000000"
--   p5 = "1796038496789000001"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, kind, service, name, status, duration_ms, trace_id
FROM journey
WHERE project = {project:String}
  AND key = {p0:String}
  AND value = {p1:String}
  AND ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND (ts, rid) < (fromUnixTimestamp64Nano({p2:Int64}, 'UTC'), {p3:UInt64})
  AND ts IN (
    SELECT ts
    FROM journey
    WHERE project = {project:String}
      AND key = {p0:String}
      AND value = {p1:String}
      AND ts >= fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p5:Int64}, 'UTC')
  AND (ts, rid) < (fromUnixTimestamp64Nano({p2:Int64}, 'UTC'), {p3:UInt64})
    ORDER BY ts DESC
    LIMIT 201
  )
ORDER BY ts DESC, rid DESC
LIMIT 201

-- journey_seen
--   p0 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   p1 = "order_id"
--   p2 = "o_9"
--   p3 = "1795437296789000000"
--   p4 = "1796042096789000000"
--   p5 = "1796038496789000000"
--   p6 = "7"
--   project = "default"
SELECT DISTINCT lower(hex(trace_id)) AS trace
FROM journey
WHERE project = {project:String}
  AND key = {p1:String}
  AND value = {p2:String}
  AND ts >= fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p4:Int64}, 'UTC')
  AND (ts, rid) >= (fromUnixTimestamp64Nano({p5:Int64}, 'UTC'), {p6:UInt64})
  AND trace_id IN (arrayMap(x -> toFixedString(unhex(x), 16), splitByChar(',', {p0:String})))
