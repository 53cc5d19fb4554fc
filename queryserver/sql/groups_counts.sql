SELECT period, {{range $i, $k := .Keys}}{{$k}} AS k{{$i}}, {{end}}sum(n) AS total, sumIf(n, status >= 500) AS errors, sum(w) AS weight, sum(size) AS sizes
FROM (
{{range $i, $s := .Segments}}{{if $i}}
  UNION ALL
{{end}}  {{if $s.Raw}}SELECT toUInt8({{$s.Period}}) AS period, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w, request_bytes + response_bytes AS size
  FROM requests
  WHERE project = {project:String} AND ts >= {{$s.From}} AND ts < {{$s.To}}{{$s.Where}}{{else}}SELECT toUInt8({{$s.Period}}) AS period, service, route, method, status, cnt AS n, weight AS w, bytes AS size
  FROM {{$s.Table}}
  WHERE project = {project:String} AND {{$s.Column}} >= {{$s.From}} AND {{$s.Column}} < {{$s.To}}{{$s.Where}}{{end}}{{end}}
)
GROUP BY period, {{range $i, $k := .Keys}}{{if $i}}, {{end}}k{{$i}}{{end}}
ORDER BY period DESC, total DESC, {{range $i, $k := .Keys}}{{if $i}}, {{end}}k{{$i}}{{end}}
LIMIT {{.Limit}} BY period
