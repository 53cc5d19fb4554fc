{{range $i, $s := .}}{{if $i}}
  UNION ALL
{{end}}  {{if $s.Raw}}SELECT toUInt8({{$s.Period}}) AS period, toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(1) AS n, toUInt64(weight) AS w
  FROM requests
  WHERE project = {project:String} AND ts >= {{$s.From}} AND ts < {{$s.To}}{{$s.Where}}{{else}}SELECT toUInt8({{$s.Period}}) AS period, {{$s.Column}} AS t, service, route, method, status, cnt AS n, weight AS w
  FROM {{$s.Table}}
  WHERE project = {project:String} AND {{$s.Column}} >= {{$s.From}} AND {{$s.Column}} < {{$s.To}}{{$s.Where}}{{end}}{{end}}
