SELECT {{.Columns}}
FROM {{.Table}}
WHERE project = {project:String}
  AND ({{range $i, $r := .Ranges}}{{if $i}} OR {{end}}(ts >= {{$r.From}} AND ts < {{$r.To}}){{else}}0{{end}})
  AND trace_id = toFixedString(unhex({{.TraceID}}), 16){{.After}}
ORDER BY ts, rid
LIMIT {{.Limit}}
