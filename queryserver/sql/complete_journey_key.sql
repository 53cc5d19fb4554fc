SELECT toString(key)
FROM journey
WHERE project = {project:String}
  AND key {{.After}}
  AND ts >= {{.From}}
  AND ts < {{.To}}
ORDER BY project, key
LIMIT 1
