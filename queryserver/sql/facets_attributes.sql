SELECT f, v, total, weight, emptyArrayUInt64() AS strata, emptyArrayUInt64() AS parts, count() OVER (PARTITION BY f) AS distinct_values, sum(total) OVER (PARTITION BY f) AS all_values
FROM (
  SELECT toUInt8(indexOf([{{.Keys}}], key) - 1) AS f, v, sum(n) AS total, sum(w) AS weight
  FROM (
{{range $i, $s := .Segments}}{{if $i}}
  UNION ALL
{{end}}  {{if $s.Raw}}SELECT substring(item, 1, position(item, '=') - 1) AS key, substring(item, position(item, '=') + 1) AS v, count() AS n, sum(weight) AS w
  FROM (
    SELECT toString(arrayJoin(facet_items)) AS item, toUInt64(weight) AS weight
    FROM requests
    WHERE project = {project:String} AND ts >= {{$s.From}} AND ts < {{$s.To}}
  )
  WHERE position(item, '=') > 1
  GROUP BY key, v{{else}}SELECT toString(field) AS key, value AS v, sum(cnt) AS n, sum(facets.weight) AS w
  FROM facets
  WHERE project = {project:String} AND field IN ({{$.Keys}}) AND hour >= {{$s.From}} AND hour < {{$s.To}}
  GROUP BY key, v{{end}}{{end}}
  )
  WHERE key IN ({{.Keys}}){{.Prefix}}
  GROUP BY f, v
)
ORDER BY f, total DESC, v
LIMIT {{.Limit}} BY f
