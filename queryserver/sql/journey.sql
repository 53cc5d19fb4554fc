SELECT ts, rid, kind, service, name, status, duration_ms, trace_id
FROM journey
WHERE project = {project:String}
  AND key = {{.Key}}
  AND value = {{.Value}}
  AND ts >= {{.From}}
  AND ts < {{.To}}{{.After}}
  AND ts IN (
    SELECT ts
    FROM journey
    WHERE project = {project:String}
      AND key = {{.Key}}
      AND value = {{.Value}}
      AND ts >= {{.From}}
      AND ts < {{.To}}{{.After}}
    ORDER BY ts {{.Order}}
    LIMIT {{.Limit}}
  )
ORDER BY ts {{.Order}}, rid {{.Order}}
LIMIT {{.Limit}}
