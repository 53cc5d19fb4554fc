-- rows
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   p3 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service
FROM spans
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND trace_id = toFixedString(unhex({p3:String}), 16)
  AND ts IN (
    SELECT ts
    FROM spans
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND toStartOfMinute(toDateTime(ts, 'UTC')) IN (SELECT minute FROM trace_index WHERE project = {project:String} AND h = reinterpretAsUInt32(unhex({p2:String})))
  AND trace_id = toFixedString(unhex({p3:String}), 16)
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101
