-- record
--   p0 = "1796042096789000000"
--   p1 = "7"
--   project = "default"
--   SETTING precise_float_parsing = 1
--   SETTING query_plan_max_limit_for_lazy_materialization = 10001
--   SETTING query_plan_optimize_lazy_materialization = 1
--   SETTING use_top_k_dynamic_filtering = 0
SELECT ts, rid, service, env, release, instance, name, kind, method, route, path, status, span_status, duration, trace_id, span_id, parent_span_id, trace_state, flags, request_id, user_agent, client_ip, request_bytes, response_bytes, error_type, error_message, error_stack, error_group, attributes, resource, correlation, request_headers, response_headers, request_body, response_body, scope_name, scope_version, links, marks, weight
FROM requests
WHERE project = {project:String}
  AND ts = fromUnixTimestamp64Nano({p0:Int64}, 'UTC')
  AND rid = {p1:UInt64}
LIMIT 1
