SELECT period, {{range $i, $k := .Keys}}k{{$i}}, {{end}}sum(n) AS total, sum(bad) AS errors, sum(w) AS weight, sum(size) AS sizes, groupArray(b) AS buckets, groupArray(n) AS counts
FROM (
  SELECT toUInt8(ts >= {{.Middle}}) AS period, {{range $i, $k := .Keys}}{{if $i}}, {{end}}{{$k}} AS k{{$i}}{{end}},
    {{if .Latencies}}toUInt8(least(greatest(bitShiftRight(reinterpretAsUInt32(toFloat32(duration / 1e6)), 20), {{bucketLow}}), {{bucketHigh}}) - {{bucketLow}}){{else}}toUInt8(0){{end}} AS b,
    count() AS n, countIf({{.Error}}) AS bad, sum(toUInt64({{.Table}}.weight)) AS w, toUInt64(sum({{.Bytes}})) AS size
  FROM {{.Table}}
  WHERE project = {project:String}
    AND ts >= {{.From}}
    AND ts < {{.To}}{{.Where}}
  GROUP BY period, {{range $i, $k := .Keys}}k{{$i}}, {{end}}b
)
GROUP BY period, {{range $i, $k := .Keys}}{{if $i}}, {{end}}k{{$i}}{{end}}
ORDER BY period DESC, total DESC, {{range $i, $k := .Keys}}{{if $i}}, {{end}}k{{$i}}{{end}}
LIMIT {{.Limit}} BY period
