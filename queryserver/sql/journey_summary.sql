SELECT kind, service, count() AS n, min(ts) AS first, max(ts) AS last
FROM journey
WHERE project = {project:String}
  AND key = {{.Key}}
  AND value = {{.Value}}
  AND ts >= {{.From}}
  AND ts < {{.To}}
GROUP BY kind, service
ORDER BY n DESC, kind, service
