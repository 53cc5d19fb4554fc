-- rows
--   p0 = "1796038496789000000"
--   p1 = "1796042096789000000"
--   p2 = "17"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service, env, release, instance, name, trace_id, span_id, flags, severity, message, error_type, error_message, error_stack, error_group, attributes, resource, correlation, scope_name, scope_version, marks, weight
FROM events
WHERE project = {project:String}
  AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND severity >= {p2:UInt64}
  AND ts IN (
    SELECT ts
    FROM events
    WHERE project = {project:String}
      AND ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
      AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')
  AND severity >= {p2:UInt64}
    ORDER BY ts DESC
    LIMIT 101
  )
ORDER BY ts DESC, rid DESC
LIMIT 101
