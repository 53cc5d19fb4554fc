SELECT toUInt32({{.Column}}) AS c, {{.Key}} AS k, count() AS total, sum(w) AS weight
FROM (
  SELECT toDateTime(ts, 'UTC') AS t, service, route, method, status, toUInt64(requests.weight) AS w
  FROM requests
  WHERE project = {project:String}
    AND ts >= {{.From}}
    AND ts < {{.To}}{{.Narrow}}{{.Where}}
)
GROUP BY c, k
ORDER BY c, k
