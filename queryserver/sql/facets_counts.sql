SELECT f, v, total, weight, emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT entry.1 AS f, entry.2 AS v, sum(n) AS total, sum(w) AS weight
  FROM (
    SELECT {{range $i, $v := .Values}}{{$v}} AS k{{$i}}, {{end}}sum(n) AS n, sum(w) AS w
    FROM (
{{template "counts.sql" .Segments}}
    )
    GROUP BY {{range $i, $v := .Values}}{{if $i}}, {{end}}k{{$i}}{{end}}
  )
  ARRAY JOIN [{{range $i, $v := .Values}}{{if $i}}, {{end}}(toUInt8({{$i}}), k{{$i}}){{end}}] AS entry
  GROUP BY f, v
  HAVING 1{{.Prefix}}
)
ORDER BY f, total DESC, v
LIMIT {{.Limit}} BY f
