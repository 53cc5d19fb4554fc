SELECT value, sum(cnt) AS count
FROM facets
WHERE project = {project:String}
  AND field = {{.Key}}
  AND hour >= {{.From}}
  AND hour < {{.To}}
  AND startsWith(value, {{.Prefix}})
  AND value NOT IN ('', '(other)')
GROUP BY value
ORDER BY count DESC, value
LIMIT {{.Limit}}
