SELECT ts, rid, kind, service, name, status, duration_ms, trace_id
FROM (
{{range $i, $t := .Tables}}{{if $i}}
  UNION ALL
{{end}}  SELECT ts, rid, '{{$t.Kind}}' AS kind, service, {{$t.Name}} AS name, {{$t.Status}} AS status, {{$t.Duration}} AS duration_ms, trace_id
  FROM {{$t.Table}}
  WHERE project = {project:String}
    AND ts >= {{$.From}}
    AND ts < {{$.To}}
    AND indexHint({{$.Ranges}})
    AND trace_id IN {{$.Traces}}
    AND NOT (correlation[{{$.Key}}] = {{$.Value}} AND mapContains(correlation, {{$.Key}})){{end}}
)
ORDER BY ts, rid
LIMIT {{.Limit}}
