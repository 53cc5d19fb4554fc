SELECT service, method, route, groupArray(b) AS buckets, groupArray(total) AS counts
FROM (
  SELECT service, method, route, b, sum(n) AS total
  FROM (
{{template "latencies.sql" .}}
  )
  GROUP BY service, method, route, b
)
GROUP BY service, method, route
