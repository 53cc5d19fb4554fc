-- trace_records
--   p0 = "1796042040000000000"
--   p1 = "1796042160000000000"
--   p2 = "1796045640000000000"
--   p3 = "1796045700000000000"
--   p4 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service, env, release, instance, name, kind, status, span_status, duration, trace_id, span_id, parent_span_id, trace_state, flags, request_id, user_agent, client_ip, request_bytes, response_bytes, error_type, error_message, error_stack, error_group, attributes, resource, correlation, scope_name, scope_version, links, marks, weight
FROM spans
WHERE project = {project:String}
  AND ((ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')) OR (ts >= fromUnixTimestamp64Nano({p2:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p3:Int64}, 'UTC')))
  AND trace_id = toFixedString(unhex({p4:String}), 16)
ORDER BY ts, rid
LIMIT 1001

-- trace_records
--   p0 = "1796045640000000000"
--   p1 = "1796045700000000000"
--   p2 = "4bf92f3577b34da6a3ce929d0e0e4736"
--   p3 = "1796045640000000000"
--   p4 = "7"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service, env, release, instance, name, kind, status, span_status, duration, trace_id, span_id, parent_span_id, trace_state, flags, request_id, user_agent, client_ip, request_bytes, response_bytes, error_type, error_message, error_stack, error_group, attributes, resource, correlation, scope_name, scope_version, links, marks, weight
FROM spans
WHERE project = {project:String}
  AND ((ts >= fromUnixTimestamp64Nano({p0:Int64}, 'UTC') AND ts < fromUnixTimestamp64Nano({p1:Int64}, 'UTC')))
  AND trace_id = toFixedString(unhex({p2:String}), 16)
  AND (ts, rid) > (fromUnixTimestamp64Nano({p3:Int64}, 'UTC'), {p4:UInt64})
ORDER BY ts, rid
LIMIT 100
