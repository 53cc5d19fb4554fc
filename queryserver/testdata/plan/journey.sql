-- journey
--   p0 = "order_id"
--   p1 = "o_9"
--   p2 = "1795437296789000000"
--   p3 = "1796042096789000000"
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
  AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
  AND ts IN (
    SELECT ts
    FROM journey
    WHERE project = {project:String}
      AND key = {p0:String}
      AND value = {p1:String}
      AND ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
    ORDER BY ts ASC
    LIMIT 201
  )
ORDER BY ts ASC, rid ASC
LIMIT 201

-- journey_summary
--   p0 = "1795437296789000000"
--   p1 = "order_id"
--   p2 = "o_9"
--   p3 = "1796042096789000000"
--   project = "default"
SELECT kind, service, count() AS n, min(ts) AS first, max(ts) AS last
FROM journey
WHERE project = {project:String}
  AND key = {p1:String}
  AND value = {p2:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')
GROUP BY kind, service
ORDER BY n DESC, kind, service
