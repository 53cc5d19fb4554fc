SELECT ts, rid, service, release, trace_id, error_message, error_stack
FROM {{.Table}}
WHERE project = {project:String}
  AND ts >= {{.From}}
  AND ts < {{.To}}
  AND {{.Group}}{{.Where}}
ORDER BY ts DESC, rid DESC
LIMIT {{.Limit}}
