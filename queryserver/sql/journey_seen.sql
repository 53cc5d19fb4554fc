SELECT DISTINCT lower(hex(trace_id)) AS trace
FROM journey
WHERE project = {project:String}
  AND key = {{.Key}}
  AND value = {{.Value}}
  AND ts >= {{.From}}
  AND ts < {{.To}}{{.Before}}
  AND trace_id IN {{.Traces}}
