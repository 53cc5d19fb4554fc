SELECT c, service, method, route, groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT toUInt32({{.Column}}) AS c, service, method, route, b, sum(n) AS total
  FROM (
{{template "latencies.sql" .Segments}}
  )
  GROUP BY c, service, method, route, b
)
GROUP BY c, service, method, route
