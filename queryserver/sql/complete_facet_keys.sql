SELECT toString(field) AS value, sum(cnt) AS count
FROM facets
WHERE project = {project:String}
  AND startsWith(field, {{.Prefix}})
  AND hour >= {{.From}}
  AND hour < {{.To}}
GROUP BY value
ORDER BY count DESC, value
LIMIT {{.Limit}}
