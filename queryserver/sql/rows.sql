SELECT {{.Columns}}
FROM {{.Table}}
WHERE project = {project:String}
  AND ts >= {{.From}}
  AND ts < {{.To}}{{.After}}{{.Where}}
  AND ts IN (
{{template "rows_keys.sql" .}}
  )
ORDER BY ts {{.Order}}, rid {{.Order}}
LIMIT {{.Limit}}
