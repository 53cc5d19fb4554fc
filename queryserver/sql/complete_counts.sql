SELECT toString({{.Column}}) AS value, sum(cnt) AS count
FROM cnt_h
WHERE project = {project:String}
  AND hour >= {{.From}}
  AND hour < {{.To}}
  AND startsWith(value, {{.Prefix}})
  AND value != ''
GROUP BY value
ORDER BY count DESC, value
LIMIT {{.Limit}}
