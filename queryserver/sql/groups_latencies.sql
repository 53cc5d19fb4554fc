SELECT period, {{range $i, $k := .Keys}}k{{$i}}, {{end}}groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT period, {{range $i, $k := .Keys}}{{$k}} AS k{{$i}}, {{end}}b, sum(n) AS total
  FROM (
{{template "latencies.sql" .Segments}}
  )
  GROUP BY period, {{range $i, $k := .Keys}}k{{$i}}, {{end}}b
)
GROUP BY period, {{range $i, $k := .Keys}}{{if $i}}, {{end}}k{{$i}}{{end}}
ORDER BY period DESC, sum(total) DESC, {{range $i, $k := .Keys}}{{if $i}}, {{end}}k{{$i}}{{end}}
LIMIT {{.Limit}} BY period
