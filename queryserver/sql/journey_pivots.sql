SELECT entry.1 AS k, entry.2 AS v, countIf(direct) AS on_it, countIf(NOT direct) AS linked, min(ts) AS first, max(ts) AS last
FROM (
{{range $i, $t := .Tables}}{{if $i}}
  UNION ALL
{{end}}  SELECT ts, arrayJoin(CAST(correlation, 'Array(Tuple(String, String))')) AS entry, (toUnixTimestamp64Nano(ts), rid) IN {{$.Records}} AS direct
  FROM {{$t.Table}}
  WHERE project = {project:String}
    AND indexHint({{$.Ranges}})
    AND ((toUnixTimestamp64Nano(ts), rid) IN {{$.Records}} OR trace_id IN {{$.Traces}}){{end}}
)
WHERE NOT (k = {{.Key}} AND v = {{.Value}})
GROUP BY k, v
ORDER BY on_it + linked DESC, k, v
LIMIT {{.Limit}}
