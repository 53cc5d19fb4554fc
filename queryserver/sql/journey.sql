SELECT ts, rid, kind, service, name, status, duration_ms
FROM journey
WHERE project = {project:String}
  AND key = {{.Key}}
  AND value = {{.Value}}
  AND ts >= {{.From}}
  AND ts < {{.To}}{{.After}}
ORDER BY ts, rid
LIMIT {{.Limit}}
