SELECT service, release, min(ts) AS first, max(ts) AS last, count() AS n
FROM requests
WHERE project = {project:String}{{.Sample}}
  AND release NOT IN ('', '(other)'){{.Only}}
GROUP BY service, release
ORDER BY first, service, release
LIMIT {{.Limit}}
