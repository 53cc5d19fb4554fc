SELECT value, count() AS count
FROM journey
WHERE project = {project:String}
  AND key = {{.Key}}{{.Range}}
  AND ts >= {{.From}}
  AND ts < {{.To}}
GROUP BY project, key, value
ORDER BY project, key, value
LIMIT {{.Limit}}
