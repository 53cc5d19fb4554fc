SELECT t, sum(c) AS n
FROM (
  SELECT intDiv(toInt64(toUnixTimestamp(toDateTime(ts, 'UTC'))), {{.Step}}) * {{.Step}} AS t, count() AS c
  FROM journey
  WHERE project = {project:String}
    AND key = {{.Key}}
    AND value IN ({{.Values}})
    AND kind = '{{.Kind}}'
    AND ({{.Ranges}})
  GROUP BY t{{if .Items}}
  UNION ALL
  SELECT intDiv(toInt64(toUnixTimestamp(toDateTime(ts, 'UTC'))), {{.Step}}) * {{.Step}} AS t, count() AS c
  FROM {{.Table}}
  WHERE project = {project:String}
    AND hasAny(facet_items, [{{.Items}}])
    AND ({{.Ranges}})
  GROUP BY t{{end}}
)
GROUP BY t
