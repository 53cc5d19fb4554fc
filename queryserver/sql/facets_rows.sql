SELECT f, v, total, weight, strata, parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT f, v, sum(n) AS total, sum(w) AS weight, {{if .Sampled}}groupArray(stratum) AS strata, groupArray(n) AS parts{{else}}emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts{{end}}
  FROM (
    SELECT stratum,
      toUInt8(multiIf({{range $i, $v := .Values}}grouping(k{{$i}}) = 0, {{$i}}, {{end}}255)) AS f,
      multiIf({{range $i, $v := .Values}}f = {{$i}}, k{{$i}}, {{end}}'') AS marked,
      multiIf({{range $i, $m := .Marked}}f = {{$i}}, {{if $m}}substring(marked, 2){{else}}marked{{end}}, {{end}}marked) AS v,
      multiIf({{range $i, $m := .Marked}}f = {{$i}}, {{if $m}}marked != ''{{else}}1{{end}}, {{end}}1) AS present,
      count() AS n, sum(row_weight) AS w
    FROM (
      SELECT {{.Stratum}} AS stratum, {{range $i, $v := .Values}}{{$v}} AS k{{$i}}, {{end}}toUInt64(weight) AS row_weight
      FROM {{.Table}}
      WHERE project = {project:String}{{.Where}}
    )
    GROUP BY GROUPING SETS ({{range $i, $v := .Values}}{{if $i}}, {{end}}(stratum, k{{$i}}){{end}})
  )
  WHERE present{{.Prefix}}
  GROUP BY f, v
)
ORDER BY f, total DESC, v
LIMIT {{.Limit}} BY f
